#include "system/own_fonts.h"

#include <QFile>

#ifdef Q_OS_LINUX
#include <QLibrary>
#endif

namespace hearth::ui {

#ifdef Q_OS_LINUX

namespace {

// As fontconfig.h declares them. Qt has already loaded the library; building Qt programs does not
// need its headers.
struct FontSet {
    int count;
    int room;
    void** fonts;
};
constexpr int kSystemFonts = 0;
constexpr int kProgramFonts = 1;

}  // namespace

// This goes through fontconfig, not through Qt, so that "Sans" and "Monospace" lead to these fonts,
// too.
bool bringFonts(const QString& folder) {
    QLibrary fontconfig(QStringLiteral("fontconfig"), 1);
    const auto init = reinterpret_cast<int (*)()>(fontconfig.resolve("FcInit"));
    const auto fontsOf =
        reinterpret_cast<FontSet* (*)(void*, int)>(fontconfig.resolve("FcConfigGetFonts"));
    const auto add = reinterpret_cast<int (*)(void*, const unsigned char*)>(
        fontconfig.resolve("FcConfigAppFontAddDir"));
    if (init == nullptr || fontsOf == nullptr || add == nullptr || init() == 0) {
        return false;
    }
    const auto count = [fontsOf] {
        int fonts = 0;
        for (const int kind : {kSystemFonts, kProgramFonts}) {
            const FontSet* set = fontsOf(nullptr, kind);
            fonts += set == nullptr ? 0 : set->count;
        }
        return fonts;
    };
    if (count() > 0) {
        return false;
    }
    const QByteArray place = QFile::encodeName(folder);
    return add(nullptr, reinterpret_cast<const unsigned char*>(place.constData())) != 0 &&
           count() > 0;
}

#else

// These systems have fonts.
bool bringFonts(const QString&) {
    return false;
}

#endif

}  // namespace hearth::ui
