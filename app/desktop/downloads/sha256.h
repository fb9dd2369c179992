// SHA-256, by OpenSSL. Qt's own is eight times slower where the processor has instructions for it
// (245 against 1965 MB/s of one core), and a model is hashed twice.
#pragma once

#include <QByteArray>
#include <memory>

namespace hearth::ui {

class Sha256 {
public:
    static constexpr qsizetype kBytes = 32;

    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void reset();
    void add(const QByteArray& bytes);
    // The hash of all bytes since reset(); more may be added afterwards.
    QByteArray result() const;

    static QByteArray of(const QByteArray& bytes);

private:
    struct Context;
    std::unique_ptr<Context> context_;
};

}  // namespace hearth::ui
