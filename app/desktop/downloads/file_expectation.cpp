#include "downloads/file_expectation.h"

#include <QCoreApplication>
#include <cstdlib>

#include "downloads/gguf_extent.h"
#include "system/size_words.h"
#include "system/window_locale.h"

namespace hearth::ui {

namespace {

constexpr qint64 kShareOfRounded = 10;  // a tenth

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Downloads)
};

}  // namespace

QString FileExpectation::wrongSize(qint64 size) const {
    if (size < 0) {
        return {};
    }
    if (bytes >= 0 && size != bytes) {
        return Words::tr(
                   "The server's file has %1 bytes instead of %2. It is not the file you "
                   "chose.")
            .arg(windowLocale().toString(size), windowLocale().toString(bytes));
    }
    if (bytesAbout >= 0 && std::llabs(size - bytesAbout) > bytesAbout / kShareOfRounded) {
        return Words::tr(
                   "The server's file has %1 instead of about %2. It is not the file you "
                   "chose.")
            .arg(sizeWords(static_cast<quint64>(size)),
                 sizeWords(static_cast<quint64>(bytesAbout)));
    }
    return {};
}

QString FileExpectation::wrongHash(const QByteArray& hex) const {
    const QByteArray said = QByteArray::fromHex(hex);
    if (sha256.isEmpty() || said.size() != sha256.size() || said == sha256) {
        return {};
    }
    return Words::tr(
        "The server says that its file has another SHA-256 than was promised. It is not the "
        "file you chose.");
}

QString FileExpectation::wrongHeader(const HeaderExtent& header, bool whole, bool& open) const {
    open = false;
    if (!looksAtHeader()) {
        return {};
    }
    if (header.state == HeaderExtent::State::None) {
        return Words::tr("The server's file is no model, whatever it is called.");
    }
    if (header.state == HeaderExtent::State::More && whole) {
        return Words::tr("The model on the server is cut off: its header ends in the middle.");
    }
    if (architecture.isEmpty()) {
        open = header.state == HeaderExtent::State::More;
        return {};
    }
    if (header.architecture.isEmpty() && header.state == HeaderExtent::State::More) {
        open = true;
        return {};
    }
    if (QString::fromUtf8(header.architecture) == architecture) {
        return {};
    }
    return header.architecture.isEmpty()
               ? Words::tr(
                     "The server's file does not say its architecture, which should be %1. It "
                     "is not the file you chose.")
                     .arg(architecture)
               : Words::tr(
                     "The server's file is a model of the architecture %1 instead of %2. It "
                     "is not the file you chose.")
                     .arg(QString::fromUtf8(header.architecture).simplified(), architecture);
}

}  // namespace hearth::ui
