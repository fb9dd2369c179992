#include "documents/document_reader.h"

#include <QFile>
#include <QFileInfo>
#include <QStringList>

#include "documents/office_xml.h"
#include "documents/pdf_reader.h"
#include "documents/plain_text.h"
#include "documents/zip_member.h"

namespace hearth::ui {

namespace {

// Three bytes a character: no more characters are read than that.
constexpr qint64 kMostTextBytes = 3 * qint64{TextGatherer::kMost};
constexpr qint64 kHead = 1024;

DocumentReading trouble(DocumentTrouble what) {
    DocumentReading reading;
    reading.trouble = what;
    return reading;
}

DocumentReading finished(DocumentKind kind, TextGatherer& text) {
    DocumentReading reading;
    reading.kind = kind;
    reading.document = text.take();
    if (reading.document.text.isEmpty()) {
        reading.trouble = DocumentTrouble::NoText;
        reading.document = {};
    }
    return reading;
}

DocumentReading readText(QFile& file) {
    const bool isBegin = file.size() > kMostTextBytes;
    const auto text = decodeText(file.read(kMostTextBytes), isBegin);
    if (!text) {
        return trouble(DocumentTrouble::OtherKind);
    }
    TextGatherer gatherer;
    gatherer.add(*text);
    DocumentReading reading = finished(kindOfText(file.fileName()), gatherer);
    reading.document.cut = reading.document.cut || (isBegin && !reading.document.text.isEmpty());
    return reading;
}

DocumentReading readDocx(const ZipArchive& archive) {
    TextGatherer text;
    for (const char* name : {"word/document.xml", "word/footnotes.xml"}) {
        if (!archive.has(name)) {
            continue;
        }
        if (archive.isEncrypted(name)) {
            return trouble(DocumentTrouble::Encrypted);
        }
        ZipMember xml(archive, name);
        if (readDocxXml(xml, text) != DocumentTrouble::None || xml.wentWrong()) {
            return trouble(DocumentTrouble::Damaged);
        }
    }
    return finished(DocumentKind::Docx, text);
}

DocumentReading readOdt(const ZipArchive& archive) {
    constexpr const char* kContent = "content.xml";
    if (archive.isEncrypted(kContent)) {
        return trouble(DocumentTrouble::Encrypted);
    }
    ZipMember manifest(archive, "META-INF/manifest.xml");
    if (manifestSaysEncrypted(manifest)) {
        return trouble(DocumentTrouble::Encrypted);
    }
    TextGatherer text;
    ZipMember xml(archive, kContent);
    if (readOdtXml(xml, text) != DocumentTrouble::None || xml.wentWrong()) {
        return trouble(DocumentTrouble::Damaged);
    }
    return finished(DocumentKind::Odt, text);
}

bool isNamed(const QString& path, std::initializer_list<const char*> endings) {
    const QString ending = QFileInfo(path).suffix().toLower();
    return std::any_of(endings.begin(), endings.end(),
                       [&](const char* one) { return ending == QLatin1String(one); });
}

DocumentReading readArchive(const QString& path) {
    const auto archive = ZipArchive::open(path);
    if (!archive) {
        return trouble(isNamed(path, {"docx", "odt"}) ? DocumentTrouble::Damaged
                                                      : DocumentTrouble::OtherKind);
    }
    if (archive->has("word/document.xml")) {
        return readDocx(*archive);
    }
    if (archive->has("content.xml") && archive->has("META-INF/manifest.xml")) {
        ZipMember type(*archive, "mimetype");
        if (type.read(kHead).startsWith("application/vnd.oasis.opendocument.text")) {
            return readOdt(*archive);
        }
    }
    return trouble(isNamed(path, {"docx", "odt"}) ? DocumentTrouble::Damaged
                                                  : DocumentTrouble::OtherKind);
}

}  // namespace

DocumentKind kindOfText(const QString& name) {
    if (isNamed(name, {"md", "markdown", "mdown"})) {
        return DocumentKind::Markdown;
    }
    static const QStringList code = QStringLiteral(
                                        "ada adb ads asm awk bash bat c cc cl clj cmake cmd comp "
                                        "cpp cs css cu cxx d dart diff el erl "
                                        "ex exs f90 frag fs glsl go gradle groovy h hh hpp hs html "
                                        "htm hxx ini ipynb java jl js json "
                                        "jsx kt kts lisp lua m mjs mk ml mm nim nix pas patch php "
                                        "pl pm proto ps1 py qml r rb rs "
                                        "s scala scm sh sql svelte swift tcl tex toml ts tsx v vb "
                                        "vert vhd vue xml yaml yml zig zsh")
                                        .split(QLatin1Char(' '));
    const QFileInfo info(name);
    const bool isCode = code.contains(info.suffix().toLower()) ||
                        info.fileName() == QLatin1String("Makefile") ||
                        info.fileName() == QLatin1String("Dockerfile");
    return isCode ? DocumentKind::Code : DocumentKind::Text;
}

DocumentReading readDocument(const QString& path) {
    const QFileInfo info(path);
    if (info.exists() && !info.isFile()) {
        return trouble(DocumentTrouble::NotAFile);
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return trouble(DocumentTrouble::NotThere);
    }
    const QByteArray head = file.peek(kHead);
    if (head.contains("%PDF-")) {
        file.close();
        TextGatherer text;
        const DocumentTrouble wrong = readPdf(path, text);
        return wrong == DocumentTrouble::None ? finished(DocumentKind::Pdf, text) : trouble(wrong);
    }
    if (head.startsWith("PK\x03\x04")) {
        return readArchive(path);
    }
    // Office programs put an encrypted docx into a container of another format.
    if (head.startsWith("\xD0\xCF\x11\xE0") && isNamed(path, {"docx"})) {
        return trouble(DocumentTrouble::Encrypted);
    }
    if (isNamed(path, {"docx", "odt", "pdf"})) {
        return trouble(file.size() == 0 ? DocumentTrouble::NoText : DocumentTrouble::Damaged);
    }
    return readText(file);
}

}  // namespace hearth::ui
