#include "support/document_maker.h"

#include <zip.h>
#include <QCryptographicHash>
#include <QFile>
#include <QFont>
#include <QPainter>
#include <QPdfWriter>
#include <array>
#include <numeric>

namespace hearth::test {

namespace {

QByteArray escaped(const QString& text) {
    return text.toHtmlEscaped().toUtf8();
}

// Objects of a PDF, numbered from 1, and the table of where each begins.
class PdfObjects {
public:
    void add(const QByteArray& body) {
        places_.append(bytes_.size());
        bytes_ += QByteArray::number(places_.size()) + " 0 obj\n" + body + "\nendobj\n";
    }
    void addStream(const QByteArray& content, const QByteArray& more = {}) {
        add("<< /Length " + QByteArray::number(content.size()) + more + " >>\nstream\n" + content +
            "\nendstream");
    }
    // trailer: further entries of the trailer.
    QByteArray finish(const QByteArray& trailer = {}) const {
        QByteArray all = bytes_ + "xref\n0 " + QByteArray::number(places_.size() + 1) +
                         "\n0000000000 65535 f \n";
        for (const qsizetype place : places_) {
            all += QByteArray::number(place).rightJustified(10, '0') + " 00000 n \n";
        }
        return all + "trailer\n<< /Size " + QByteArray::number(places_.size() + 1) +
               " /Root 1 0 R " + trailer + ">>\nstartxref\n" + QByteArray::number(bytes_.size()) +
               "\n%%EOF\n";
    }

private:
    QByteArray bytes_ = "%PDF-1.4\n";
    QList<qsizetype> places_;
};

QByteArray contentOf(const QString& page) {
    QByteArray content = "BT /F1 12 Tf 14 TL 40 800 Td\n";
    for (const QString& line : page.split(QLatin1Char('\n'))) {
        QByteArray text = line.toLatin1();
        text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        content += "(" + text + ") Tj T*\n";
    }
    return content + "ET";
}

QByteArray rc4(const QByteArray& key, QByteArray bytes) {
    std::array<unsigned char, 256> state{};
    std::iota(state.begin(), state.end(), static_cast<unsigned char>(0));
    unsigned j = 0;
    for (unsigned i = 0; i < 256; ++i) {
        j = (j + state[i] + static_cast<unsigned char>(key[i % key.size()])) % 256;
        std::swap(state[i], state[j]);
    }
    unsigned a = 0;
    unsigned b = 0;
    for (char& byte : bytes) {
        a = (a + 1) % 256;
        b = (b + state[a]) % 256;
        std::swap(state[a], state[b]);
        byte = static_cast<char>(byte ^ state[(state[a] + state[b]) % 256]);
    }
    return bytes;
}

QByteArray md5(const QByteArray& bytes) {
    return QCryptographicHash::hash(bytes, QCryptographicHash::Md5);
}

QByteArray hexString(const QByteArray& bytes) {
    return "<" + bytes.toHex() + ">";
}

}  // namespace

QString writeFile(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write %s", qPrintable(path));
    }
    return path;
}

QString writeSparse(const QString& path, const QByteArray& begin, qint64 bytes) {
    writeFile(path, begin);
    if (!QFile::resize(path, bytes)) {
        qFatal("cannot grow %s", qPrintable(path));
    }
    return path;
}

QString writeZip(const QString& path, const ZipMembers& members, const QByteArray& password,
                 bool stored) {
    int error = 0;
    zip_t* zip = zip_open(QFile::encodeName(path).constData(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    for (const auto& [name, content] : members) {
        zip_source_t* source = zip_source_buffer(zip, content.constData(),
                                                 static_cast<zip_uint64_t>(content.size()), 0);
        const zip_int64_t index = zip_file_add(zip, name.constData(), source, ZIP_FL_ENC_UTF_8);
        const auto place = static_cast<zip_uint64_t>(index);
        if (stored) {
            zip_set_file_compression(zip, place, ZIP_CM_STORE, 0);
        }
        if (!password.isEmpty()) {
            zip_file_set_encryption(zip, place, ZIP_EM_AES_256, password.constData());
        }
    }
    if (zip_close(zip) != 0) {
        qFatal("cannot write %s", qPrintable(path));
    }
    return path;
}

QByteArray docxXml(const QStringList& paragraphs) {
    QByteArray body;
    for (const QString& paragraph : paragraphs) {
        body +=
            "<w:p><w:r><w:t xml:space=\"preserve\">" + escaped(paragraph) + "</w:t></w:r></w:p>";
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
           "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">"
           "<w:body>" +
           body + "</w:body></w:document>";
}

QString writeDocx(const QString& path, const QByteArray& documentXml, const ZipMembers& more) {
    ZipMembers members = {
        {"[Content_Types].xml",
         "<?xml version=\"1.0\"?><Types "
         "xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>"},
        {"word/document.xml", documentXml}};
    members += more;
    return writeZip(path, members);
}

QByteArray odtXml(const QStringList& paragraphs) {
    QByteArray body;
    for (const QString& paragraph : paragraphs) {
        body += "<text:p>" + escaped(paragraph) + "</text:p>";
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document-content"
           " xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\""
           " xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\""
           " xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\">"
           "<office:body><office:text>" +
           body + "</office:text></office:body></office:document-content>";
}

QString writeOdt(const QString& path, const QByteArray& contentXml, bool encrypted,
                 const ZipMembers& more) {
    const QByteArray entry =
        encrypted ? "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>" : "";
    ZipMembers members = {
        {"mimetype", "application/vnd.oasis.opendocument.text"},
        {"META-INF/manifest.xml",
         "<?xml version=\"1.0\"?><manifest:manifest"
         " xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\">" +
             entry + "</manifest:manifest>"},
        {"content.xml", contentXml}};
    members += more;
    return writeZip(path, members);
}

QString writePdf(const QString& path, const QStringList& pages) {
    QPdfWriter writer(path);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setResolution(96);
    QPainter painter(&writer);
    painter.setFont(QFont(QStringLiteral("DejaVu Sans"), 11));
    for (qsizetype i = 0; i < pages.size(); ++i) {
        if (i > 0) {
            writer.newPage();
        }
        painter.drawText(QRectF(20, 20, 640, 960), Qt::AlignLeft | Qt::TextWordWrap, pages[i]);
    }
    painter.end();
    return path;
}

QByteArray plainPdf(const QStringList& pages, qint64 padding) {
    PdfObjects objects;
    QByteArray kids;
    for (qsizetype i = 0; i < pages.size(); ++i) {
        kids += QByteArray::number(4 + 2 * i) + " 0 R ";
    }
    objects.add("<< /Type /Catalog /Pages 2 0 R >>");
    objects.add("<< /Type /Pages /Kids [" + kids + "] /Count " + QByteArray::number(pages.size()) +
                " >>");
    objects.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    for (qsizetype i = 0; i < pages.size(); ++i) {
        objects.add(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R"
            " >> >> /Contents " +
            QByteArray::number(5 + 2 * i) + " 0 R >>");
        objects.addStream(contentOf(pages[i]));
    }
    if (padding > 0) {
        objects.addStream(QByteArray(padding, 'x'));
    }
    return objects.finish();
}

// PDF 1.4, 3.5: the standard handler of revision 2.
QByteArray encryptedPdf(const QString& page, bool ownerOnly) {
    const QByteArray pad =
        QByteArray::fromHex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a");
    const QByteArray id(16, '7');
    const QByteArray rights = QByteArray::fromHex("fcffffff");
    const QByteArray owner = rc4(md5(QByteArray("owner") + pad.left(27)).left(5), pad);
    const QByteArray key = md5(pad + owner + rights + id).left(5);
    const QByteArray user = ownerOnly ? rc4(key, pad) : QByteArray(32, 'u');
    PdfObjects objects;
    objects.add("<< /Type /Catalog /Pages 2 0 R >>");
    objects.add("<< /Type /Pages /Kids [4 0 R] /Count 1 >>");
    objects.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    objects.add(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3"
        " 0 R >> >> /Contents 5 0 R >>");
    const QByteArray ofObject = md5(key + QByteArray::fromHex("0500000000")).left(10);
    objects.addStream(rc4(ofObject, contentOf(page)));
    return objects.finish("/ID [" + hexString(id) + hexString(id) +
                          "] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O " + hexString(owner) +
                          " /U " + hexString(user) + " >> ");
}

}  // namespace hearth::test
