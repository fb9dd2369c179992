// Files in an archive, read as they are unpacked.
#pragma once

#include <QIODevice>
#include <QString>
#include <memory>

struct zip;
struct zip_file;

namespace hearth::ui {

class ZipArchive {
public:
    // Null: it is no archive, or a damaged one. One thread at a time.
    static std::unique_ptr<ZipArchive> open(const QString& path);
    ~ZipArchive();
    ZipArchive(const ZipArchive&) = delete;
    ZipArchive& operator=(const ZipArchive&) = delete;

    bool has(const char* name) const;
    bool isEncrypted(const char* name) const;
    zip* handle() const { return handle_; }

private:
    explicit ZipArchive(zip* handle) : handle_(handle) {}

    zip* handle_;
};

// The bytes of one file, from its beginning, once. The archive outlives it. A damaged file ends
// early: wentWrong() is then true. So does one of more than kMostBytes, which no document has.
class ZipMember : public QIODevice {
public:
    static constexpr qint64 kMostBytes = qint64{256} << 20;

    ZipMember(const ZipArchive& archive, const char* name);
    ~ZipMember() override;

    bool isSequential() const override { return true; }
    bool wentWrong() const { return wrong_; }

protected:
    qint64 readData(char* data, qint64 most) override;
    qint64 writeData(const char* data, qint64 bytes) override;

private:
    zip_file* file_;
    qint64 read_ = 0;
    bool wrong_ = false;
};

}  // namespace hearth::ui
