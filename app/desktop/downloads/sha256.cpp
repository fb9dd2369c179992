#include "downloads/sha256.h"

#include <openssl/evp.h>

namespace hearth::ui {

namespace {

// OpenSSL fails where memory is short, where Qt, too, ends the program.
void must(int done) {
    if (done != 1) {
        qFatal("SHA-256 is not to be had");
    }
}

using Handle = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

Handle newHandle() {
    return {EVP_MD_CTX_new(), &EVP_MD_CTX_free};
}

}  // namespace

struct Sha256::Context {
    Handle handle = newHandle();
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
    reset();
}

Sha256::~Sha256() = default;

void Sha256::reset() {
    must(EVP_DigestInit_ex(context_->handle.get(), EVP_sha256(), nullptr));
}

void Sha256::add(const QByteArray& bytes) {
    must(EVP_DigestUpdate(context_->handle.get(), bytes.constData(),
                          static_cast<std::size_t>(bytes.size())));
}

QByteArray Sha256::result() const {
    const Handle copy = newHandle();
    must(EVP_MD_CTX_copy_ex(copy.get(), context_->handle.get()));
    QByteArray hash(kBytes, Qt::Uninitialized);
    must(EVP_DigestFinal_ex(copy.get(), reinterpret_cast<unsigned char*>(hash.data()), nullptr));
    return hash;
}

QByteArray Sha256::of(const QByteArray& bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.result();
}

}  // namespace hearth::ui
