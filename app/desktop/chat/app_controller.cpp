#include "app_controller.h"

#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <utility>

#include "app_settings.h"

namespace hearth::ui {

AppController::AppController(InferenceService& inference, ConversationStore& store,
                             AppSettings& settings, QObject* parent)
    : QObject(parent),
      store_(store),
      appearance_(settings),
      place_(settings),
      model_(inference, settings, notices_),
      writer_(store, notices_),
      chats_(store, notices_, writer_),
      replies_({inference, store, settings, notices_, model_, writer_, chats_}),
      engineChange_({inference, settings, notices_, model_, replies_}) {}

AppController::~AppController() {
    for (QObject* part :
         std::initializer_list<QObject*>{&notices_, &chats_, &replies_, &engineChange_}) {
        part->blockSignals(true);
    }
    close();
}

void AppController::close() {
    if (!std::exchange(closed_, true)) {
        place_.keep();
        replies_.close();
        flush();
    }
}

void AppController::flush() {
    chats_.saveDraft();
    writer_.flush();
}

void AppController::copyText(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
}

QString AppController::version() const {
    return QStringLiteral(HEARTH_VERSION);
}

QString AppController::dataFolder() const {
    return QDir::toNativeSeparators(store_.folder());
}

}  // namespace hearth::ui
