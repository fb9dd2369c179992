// A keychain that does as a test tells it.
#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <functional>
#include <utility>

#include "network/token_keeper.h"

namespace hearth::ui::test {

struct Secrets {
    QHash<QString, QString> kept;
    bool hangs = false;    // reads are answered by the test
    bool refuses = false;  // nothing is stored
    int reads = 0;
    QList<std::function<void(const QString&)>> held;  // of reads that hang
};

class FakeStore : public SecretStore {
public:
    explicit FakeStore(Secrets& secrets) : secrets_(secrets) {}
    void read(const QString& key, std::function<void(const QString&)> done) override {
        ++secrets_.reads;
        if (secrets_.hangs) {
            secrets_.held.append(std::move(done));
        } else {
            done(secrets_.kept.value(key));
        }
    }
    void write(const QString& key, const QString& secret, std::function<void(bool)> done) override {
        if (!secrets_.refuses) {
            secrets_.kept[key] = secret;
        }
        done(!secrets_.refuses);
    }
    void remove(const QString& key, std::function<void()> done) override {
        secrets_.kept.remove(key);
        done();
    }

private:
    Secrets& secrets_;
};

}  // namespace hearth::ui::test
