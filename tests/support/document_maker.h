// Documents for tests, made by small writers: whole ones, damaged ones, encrypted ones, large ones.
#pragma once

#include <QByteArray>
#include <QList>
#include <QPair>
#include <QString>
#include <QStringList>

namespace hearth::test {

// Each writes the file and returns its path.
QString writeFile(const QString& path, const QByteArray& bytes);
// A file of that size with `begin` at its front and nothing but holes behind.
QString writeSparse(const QString& path, const QByteArray& begin, qint64 bytes);

using ZipMembers = QList<QPair<QByteArray, QByteArray>>;  // name, content
// password: of all members; empty: they are not encrypted. stored: they are not compressed.
QString writeZip(const QString& path, const ZipMembers& members, const QByteArray& password = {},
                 bool stored = false);

// The body of word/document.xml: a paragraph each.
QByteArray docxXml(const QStringList& paragraphs);
QString writeDocx(const QString& path, const QByteArray& documentXml, const ZipMembers& more = {});
QByteArray odtXml(const QStringList& paragraphs);
QString writeOdt(const QString& path, const QByteArray& contentXml, bool encrypted = false,
                 const ZipMembers& more = {});

// By Qt's writer: a page each, with its fonts in it. Needs a QGuiApplication.
QString writePdf(const QString& path, const QStringList& pages);
// By hand, with a font that each reader has: a page each, of ASCII. padding: bytes of an object
// that nobody needs.
QByteArray plainPdf(const QStringList& pages, qint64 padding = 0);
// Such a PDF of one page that is encrypted (RC4, 40 bits). ownerOnly: it opens without a password,
// else nobody knows it.
QByteArray encryptedPdf(const QString& page, bool ownerOnly);

}  // namespace hearth::test
