#include "documents/child_reading.h"

#include <QLoggingCategory>

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcReading, "hearth.documents")

namespace {

DocumentReading failed(const char* why) {
    qCWarning(lcReading) << "a document was not read:" << why;  // names stay out of the log
    DocumentReading reading;
    reading.trouble = DocumentTrouble::TooDemanding;
    return reading;
}

}  // namespace

DocumentReading readInChild(const QString& program, const QString& path,
                            const std::function<bool()>& stopped, const ChildBounds& bounds) {
    const ChildAnswer answer =
        runChild(program, {QStringLiteral("read-document"), path}, {}, stopped, bounds);
    if (answer.why != nullptr) {
        return failed(answer.why);
    }
    const auto reading = DocumentReading::fromBytes(answer.output);
    return reading ? *reading : failed("its process wrote something else");
}

}  // namespace hearth::ui
