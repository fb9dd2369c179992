// A system without a font: fontconfig with a configuration that names no folder.
#include "system/own_fonts.h"

#include <QtTest>

using hearth::ui::bringFonts;

class OwnFontsTest : public QObject {
    Q_OBJECT

private slots:
    void onlyWhereThereIsNone() {
#ifndef Q_OS_LINUX
        QSKIP("fontconfig is Linux's");
#else
        QTemporaryDir folder;
        QFile config(folder.filePath(QStringLiteral("fonts.conf")));
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write(
            "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig>"
            "<cachedir>" +
            QFile::encodeName(folder.filePath(QStringLiteral("cache"))) +
            "</cachedir></fontconfig>");
        config.close();
        qputenv("FONTCONFIG_FILE", QFile::encodeName(config.fileName()));
        const QDir fonts(QStringLiteral("/usr/share/fonts/truetype/dejavu"));
        if (!fonts.exists()) {
            QSKIP("fonts-dejavu-core is not installed");
        }
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("none")));
        QVERIFY(!bringFonts(folder.filePath(QStringLiteral("none"))));
        QVERIFY(!bringFonts(folder.filePath(QStringLiteral("missing"))));
        QVERIFY(bringFonts(fonts.path()));
        QVERIFY2(!bringFonts(fonts.path()), "there are fonts now");
#endif
    }
};

QTEST_GUILESS_MAIN(OwnFontsTest)
#include "own_fonts_test.moc"
