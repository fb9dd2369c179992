// Greedy text and counters of splits between processor and GPU as they were recorded in
// tests/data/split_counters.txt. HEARTH_RECORD=FILE writes the file anew instead of comparing.
#include "engine/vulkan/recorded_splits.h"
#include "base/environment.h"

#include <QFile>
#include <QtTest>
#include <fstream>
#include <map>
#include <sstream>

class RecordedSplitsTest : public QObject {
    Q_OBJECT

private:
    std::vector<hearth::test::RecordedSplit> splits_;
    std::map<std::string, std::string> recorded_;
    std::string why_missing_;
    std::shared_ptr<hearth::vulkan::Instance> instance_;
    std::ostringstream record_;

    static bool records() { return qEnvironmentVariableIsSet("HEARTH_RECORD"); }

private slots:
    void initTestCase() {
        using namespace hearth::vulkan;
        auto instance =
            Instance::create(validation_from(hearth::read_environment().vulkan_validation));
        auto device = instance ? Device::create(*instance, 0, {})
                               : hearth::Result<std::shared_ptr<Device>>(instance.error());
        if (!device) {
            why_missing_ = device.error().message;
            QVERIFY2(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"), why_missing_.c_str());
        } else {
            instance_ = *instance;
            splits_ = hearth::test::recorded_splits(*device);
        }
        if (records()) {
            return;
        }
        QFile file(QStringLiteral(HEARTH_SOURCE_DIR "/tests/data/split_counters.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly | QIODevice::Text));
        std::istringstream lines(file.readAll().toStdString());
        std::string name;
        for (std::string line; std::getline(lines, line);) {
            if (!line.empty() && line[0] != ' ') {
                name = line;
            } else {
                recorded_[name] += line + "\n";
            }
        }
        QVERIFY(!recorded_.empty());
        if (device) {
            QCOMPARE(splits_.size(), recorded_.size());
        }
    }
    void cleanupTestCase() {
        if (records()) {
            std::ofstream(qEnvironmentVariable("HEARTH_RECORD").toStdString()) << record_.str();
        }
    }

    void as_recorded_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < splits_.size(); ++i) {
            QTest::newRow(splits_[i].name.c_str()) << static_cast<int>(i);
        }
        if (splits_.empty()) {
            QTest::newRow("all") << -1;
        }
    }
    void as_recorded() {
        QFETCH(int, index);
        if (index < 0) {
            QSKIP(why_missing_.c_str());
        }
        const hearth::test::RecordedSplit& split = splits_[static_cast<std::size_t>(index)];
        std::string problem;
        const std::string seen = split.run(problem);
        QVERIFY2(problem.empty(), problem.c_str());
        if (records()) {
            record_ << split.name << "\n" << seen;
            return;
        }
        const auto wanted = recorded_.find(split.name);
        QVERIFY2(wanted != recorded_.end(), "nothing was recorded of this split");
        QCOMPARE(QString::fromStdString(seen), QString::fromStdString(wanted->second));
    }

    void the_validation_layer_says_nothing() {
        if (instance_ != nullptr) {
            splits_.clear();  // and with them the device
            QVERIFY2(instance_->n_validation_messages() == 0,
                     instance_->first_validation_message().c_str());
        }
    }
};

QTEST_GUILESS_MAIN(RecordedSplitsTest)
#include "recorded_splits_test.moc"
