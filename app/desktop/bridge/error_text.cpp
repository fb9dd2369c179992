#include "bridge/error_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ErrorText)
};

QString fileOf(const Error& error) {
    const QString path = QString::fromStdString(error.path);
    const QString name = QFileInfo(path).fileName();
    return name.isEmpty() ? Words::tr("the file")
                          : QStringLiteral("“%1”").arg(name.isEmpty() ? path : name);
}

QString capitalised(QString text) {
    if (!text.isEmpty()) {
        text[0] = text[0].toUpper();
    }
    return text;
}

}  // namespace

QString sentenceFor(const Error& error) {
    const QString file = fileOf(error);
    switch (error.code) {
        case ErrorCode::NotFound:
            return Words::
                tr("There is no file %1. It may have been moved or deleted; choose another one.")
                    .arg(error.path.empty() ? file : QString::fromStdString(error.path));
        case ErrorCode::NotAFile:
            return capitalised(
                Words::tr("%1 is a folder or a device, not a model. Choose a .gguf file.")
                    .arg(file));
        case ErrorCode::PermissionDenied:
            return capitalised(
                Words::tr("%1 cannot be read: its permissions forbid it. Change them, or "
                          "choose another file.")
                    .arg(file));
        case ErrorCode::ReadFailed:
            return capitalised(
                Words::tr("%1 could not be read to its end. Check the disk it lies on, then try "
                          "again.")
                    .arg(file));
        case ErrorCode::WriteFailed:
            return capitalised(
                Words::tr("%1 could not be written. Check the folder's permissions.").arg(file));
        case ErrorCode::DiskFull:
            return Words::tr("The disk is full. Make some room on it, then try again.");
        case ErrorCode::BadFile:
            return capitalised(
                Words::tr("%1 is not a whole GGUF model: it is damaged, cut off or something "
                          "else. Download it again, or choose another file.")
                    .arg(file));
        case ErrorCode::Unsupported:
            if (error.message.starts_with("it is ")) {  // not_for_chat.h
                return capitalised(Words::tr("%1 is no model to chat with: %2. Choose another one.")
                                       .arg(file, QString::fromStdString(error.message)));
            }
            return capitalised(
                Words::tr("%1 is a model this version cannot run yet (%2). Choose another one.")
                    .arg(file, QString::fromStdString(error.message)));
        case ErrorCode::OutOfMemory:
            return Words::tr(
                "There is not enough memory for this. Close other programs, or choose a smaller "
                "model.");
        case ErrorCode::OverBudget:
            return Words::tr(
                       "This model needs more memory than there is (%1). Close other programs, or "
                       "choose "
                       "a smaller model.")
                .arg(QString::fromStdString(error.message));
        case ErrorCode::ContextFull:
            return Words::tr(
                "This message is longer than the model can take in. Shorten it, or choose a model "
                "with a larger context.");
        case ErrorCode::DeviceLost:
            return Words::tr("The graphics card stopped answering (%1).")
                .arg(QString::fromStdString(error.message));
        case ErrorCode::Cancelled:
            return Words::tr("It was stopped.");
        case ErrorCode::InvalidArgument:
            // The field names the setting that the error is about.
            if (error.field == "predictors") {
                return Words::tr(
                    "The mode “Predicted” needs predictors, and this model has none. Choose a file "
                    "with predictors in the settings, or choose another mode.");
            }
            if (error.field == "hearth.predictor.input" &&
                error.message.find("does not say") != std::string::npos) {
                return Words::tr(
                    "The mode “Predicted” must know the input of the model's predictors, and the "
                    "file does not name it. Set it in the settings, or choose another mode.");
            }
            if (error.field == "thresholds") {
                return Words::tr(
                    "The mode “Approximate” needs a file of thresholds for this model. "
                    "Choose one in the settings, or another mode.");
            }
            if (error.field == "mode") {
                return Words::tr("This model cannot run in that mode: %1.")
                    .arg(QString::fromStdString(error.message));
            }
            if (!error.field.empty()) {
                return Words::tr("The settings do not fit this model or this computer: %1.")
                    .arg(QString::fromStdString(error.message));
            }
            break;
        case ErrorCode::Internal:
            break;
    }
    return Words::tr(
               "The engine made a mistake (%1). Load the model again; if it happens again, please "
               "report "
               "it with the log file.")
        .arg(QString::fromStdString(error.message));
}

QString sentenceForBudget(const Error& error) {
    if (error.code != ErrorCode::OverBudget) {
        return sentenceFor(error);
    }
    return Words::tr(
               "That is too little memory for this model (%1). It keeps the memory that it had.")
        .arg(QString::fromStdString(error.message));
}

QString sentenceForPacking(const Error& error, const QString& target) {
    if (QString::fromStdString(error.path).startsWith(target) &&
        (error.code == ErrorCode::PermissionDenied || error.code == ErrorCode::NotFound)) {
        return Words::tr(
                   "The folder %1 does not exist or cannot be written. Check it, or choose another "
                   "folder for downloads in the settings.")
            .arg(QDir::toNativeSeparators(QFileInfo(target).path()));
    }
    if (error.code == ErrorCode::ReadFailed && error.field == "source") {
        return Words::tr(
                   "“%1” was changed, moved or deleted while it was copied, so the copy was "
                   "removed. Try again when nothing changes the file.")
            .arg(QFileInfo(QString::fromStdString(error.path)).fileName());
    }
    if (error.code == ErrorCode::WriteFailed &&
        error.message.find("another process") != std::string::npos) {
        return Words::tr("Another program is preparing this model already.");
    }
    if (error.code == ErrorCode::WriteFailed &&
        error.message.find("read back") != std::string::npos) {
        return Words::tr(
            "The disk returned other data than were written, so the copy was removed. The disk may "
            "be failing: save your files from it.");
    }
    if (error.code == ErrorCode::Unsupported || error.code == ErrorCode::InvalidArgument) {
        return Words::tr("This model cannot be prepared: %1.")
            .arg(QString::fromStdString(error.message));
    }
    return sentenceFor(error);
}

QString logLineFor(const Error& error) {
    const std::string_view code = to_string(error.code);
    QString line = QString::fromUtf8(code.data(), static_cast<qsizetype>(code.size())) +
                   QStringLiteral(": ") + QString::fromStdString(error.message);
    if (!error.path.empty()) {
        line += QStringLiteral(" [%1]").arg(QString::fromStdString(error.path));
    }
    if (!error.field.empty()) {
        line += QStringLiteral(" [%1]").arg(QString::fromStdString(error.field));
    }
    return line;
}

}  // namespace hearth::ui
