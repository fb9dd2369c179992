#include "documents/zip_member.h"

#include <zip.h>
#include <QFile>

namespace hearth::ui {

std::unique_ptr<ZipArchive> ZipArchive::open(const QString& path) {
    int error = 0;
    zip* const handle = zip_open(QFile::encodeName(path).constData(), ZIP_RDONLY, &error);
    if (handle == nullptr) {
        return nullptr;
    }
    return std::unique_ptr<ZipArchive>(new ZipArchive(handle));
}

ZipArchive::~ZipArchive() {
    zip_discard(handle_);
}

bool ZipArchive::has(const char* name) const {
    return zip_name_locate(handle_, name, 0) >= 0;
}

bool ZipArchive::isEncrypted(const char* name) const {
    zip_stat_t stat;
    zip_stat_init(&stat);
    return zip_stat(handle_, name, 0, &stat) == 0 &&
           (stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE;
}

ZipMember::ZipMember(const ZipArchive& archive, const char* name)
    : file_(zip_fopen(archive.handle(), name, 0)), wrong_(file_ == nullptr) {
    open(QIODevice::ReadOnly);
}

ZipMember::~ZipMember() {
    if (file_ != nullptr) {
        zip_fclose(file_);
    }
}

qint64 ZipMember::readData(char* data, qint64 most) {
    if (wrong_ || most <= 0) {
        return wrong_ ? -1 : 0;
    }
    const qint64 got = zip_fread(file_, data, static_cast<zip_uint64_t>(most));
    if (got < 0 || read_ + got > kMostBytes) {
        wrong_ = true;
        return -1;
    }
    read_ += got;
    return got == 0 ? -1 : got;
}

qint64 ZipMember::writeData(const char* /*data*/, qint64 /*bytes*/) {
    return -1;
}

}  // namespace hearth::ui
