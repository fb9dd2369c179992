#include "downloads/gguf_extent.h"

#include <QByteArrayView>
#include <QtEndian>
#include <algorithm>
#include <array>
#include <limits>

namespace hearth::ui {

namespace {

// Sizes of GGUF's types of numbers, in bytes; 0: a text, an array, or no type.
constexpr std::array<int, 13> kTypeBytes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr quint32 kText = 8;
constexpr quint32 kArray = 9;
constexpr quint32 kWhole = 4;  // u32
constexpr quint32 kI32Tensor = 26;
constexpr quint64 kImpossible = std::numeric_limits<quint64>::max();
constexpr int kNestingMost = 4;
constexpr quint32 kDimensionsMost = 8;
constexpr qsizetype kNameMost = 100;  // of an architecture: files are written by anybody

quint64 sum(quint64 a, quint64 b) {
    return a > kImpossible - b ? kImpossible : a + b;
}

quint64 product(quint64 a, quint64 b) {
    return b != 0 && a > kImpossible / b ? kImpossible : a * b;
}

// Throws nothing and reads nothing beyond the end. After the first miss it returns zeros only, and
// state() tells what was missed.
class Walk {
public:
    explicit Walk(const QByteArray& bytes) : bytes_(bytes) {}

    HeaderExtent run() {
        const QByteArray magic = bytes_.left(4);
        if (magic.size() == 4 && magic != "GGUF" && magic != "PWRI") {
            return {};
        }
        at_ = 4;
        const quint32 version = number<quint32>();
        const quint64 tensors = number<quint64>();
        const quint64 keys = number<quint64>();
        if (good() && (version < 2 || version > 3)) {
            return {};
        }
        for (quint64 i = 0; i < keys && good(); ++i) {
            const QByteArrayView key = text();
            const auto type = number<quint32>();
            if (key == "general.alignment") {
                alignment_ = type == kWhole ? peek() : 0;
            }
            if (key == "general.architecture" && type == kText) {
                architecture_ = peekText();
            }
            value(type, 0);
        }
        for (quint64 i = 0; i < tensors && good(); ++i) {
            tensor();
        }
        return {state_, at_, architecture_, good() ? profile() : QList<HeaderExtent::Tensor>()};
    }

private:
    bool good() const { return state_ == HeaderExtent::State::Whole; }

    template <typename T>
    T number() {
        if (!good() || bytes_.size() - at_ < qint64{sizeof(T)}) {
            miss();
            return 0;
        }
        const T value = qFromLittleEndian<T>(bytes_.constData() + at_);
        at_ += sizeof(T);
        return value;
    }
    void skip(quint64 count, quint64 each) {
        const auto left = static_cast<quint64>(bytes_.size() - at_);
        if (!good() || count > left / each) {  // each is never 0
            miss();
            return;
        }
        at_ += static_cast<qint64>(count * each);
    }
    void miss() {
        if (good()) {
            state_ = HeaderExtent::State::More;
        }
    }
    QByteArrayView text() {
        const auto bytes = number<quint64>();
        const qint64 from = at_;
        skip(bytes, 1);
        return QByteArrayView(bytes_).sliced(from, at_ - from);
    }
    // The next number, which stays unread.
    quint32 peek() {
        const qint64 here = at_;
        const auto value = number<quint32>();
        at_ = here;
        return value;
    }
    QByteArray peekText() {
        const qint64 here = at_;
        const QByteArrayView value = text();
        at_ = here;
        return good() ? value.first(std::min(value.size(), kNameMost)).toByteArray() : QByteArray();
    }
    void tensor() {
        const QByteArrayView name = text();
        const auto dimensions = number<quint32>();
        if (dimensions > kDimensionsMost) {
            state_ = HeaderExtent::State::None;
        }
        quint64 bytes = sizeof(qint32);
        for (quint32 d = 0; d < dimensions && good(); ++d) {
            bytes = product(bytes, number<quint64>());
        }
        const auto type = number<quint32>();
        const auto offset = number<quint64>();
        if (good() && type == kI32Tensor && name.startsWith("blk.") &&
            name.endsWith(".ffn_fired")) {
            tensors_.append({offset, bytes});
        }
    }
    // The data begins at the first multiple of the alignment after the header.
    QList<HeaderExtent::Tensor> profile() const {
        const auto end = static_cast<quint64>(at_);
        const quint64 data =
            alignment_ == 0 ? kImpossible : (end + alignment_ - 1) / alignment_ * alignment_;
        QList<HeaderExtent::Tensor> found = tensors_;
        for (HeaderExtent::Tensor& tensor : found) {
            tensor.from = sum(data, tensor.from);
        }
        return found;
    }
    void value(quint32 type, int depth) {
        if (!good()) {
            return;
        }
        if (type == kText) {
            text();
        } else if (type == kArray && depth < kNestingMost) {
            const auto element = number<quint32>();
            const auto count = number<quint64>();
            if (element < kTypeBytes.size() && kTypeBytes[element] > 0) {
                skip(count, static_cast<quint64>(kTypeBytes[element]));
                return;
            }
            // Each text or array takes bytes, so this loop ends where the bytes do.
            for (quint64 i = 0; i < count && good(); ++i) {
                value(element, depth + 1);
            }
        } else if (type < kTypeBytes.size() && kTypeBytes[type] > 0) {
            skip(1, static_cast<quint64>(kTypeBytes[type]));
        } else {
            state_ = HeaderExtent::State::None;
        }
    }

    const QByteArray& bytes_;
    qint64 at_ = 0;
    quint64 alignment_ = 32;  // GGUF's default; 0: the key's value is no number
    QByteArray architecture_;
    QList<HeaderExtent::Tensor> tensors_;  // of the profile, counted from the beginning of the data
    HeaderExtent::State state_ = HeaderExtent::State::Whole;
};

}  // namespace

HeaderExtent headerExtent(const QByteArray& bytes) {
    return Walk(bytes).run();
}

}  // namespace hearth::ui
