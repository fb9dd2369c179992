// The whole controller on a scripted engine and a store on disk, as the tests of its parts use it.
#pragma once

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "settings/app_settings.h"
#include "support/fake_inference.h"
#include "window/app_controller.h"

namespace hearth::ui {

class AppFixture {
protected:
    void begin() {
        folder_ = std::make_unique<QTemporaryDir>();
        start();
    }
    void end() {
        app_.reset();
        fake_.reset();
        store_.reset();
    }
    // The next start of the program.
    void start(bool loadModel = true) {
        app_.reset();
        settings_.reset();  // writes what is not in the file yet
        store_ = std::make_unique<ConversationStore>();
        store_->open(folder_->path());
        settings_ = std::make_unique<AppSettings>(folder_->filePath(QStringLiteral("hearth.ini")));
        fake_ = std::make_unique<FakeInference>();
        app_ = std::make_unique<AppController>(*fake_, *store_, *settings_);
        if (loadModel) {
            model().openPath(QStringLiteral("/models/fake.gguf"));
            QTRY_COMPARE(model().state(), QStringLiteral("ready"));
        }
    }

    Chats& chats() { return *app_->chats(); }
    Replies& replies() { return *app_->replies(); }
    Notices& notices() { return *app_->notices(); }
    ActiveModel& model() { return *app_->model(); }

    void waitForAnswer() { QTRY_VERIFY(!replies().generating()); }
    QStringList texts() {
        QStringList list;
        for (const Message& message : chats().messages()->messages()) {
            list << message.content;
        }
        return list;
    }
    Message last() { return chats().messages()->messages().last(); }
    // Cut to the disk's size now: nothing can be added. False: room again.
    void fillDisk(bool full) {
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        QVERIFY(query.exec(QStringLiteral("PRAGMA max_page_count = %1").arg(full ? 1 : 1'000'000)));
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<FakeInference> fake_;
    std::unique_ptr<ConversationStore> store_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<AppController> app_;
};

}  // namespace hearth::ui
