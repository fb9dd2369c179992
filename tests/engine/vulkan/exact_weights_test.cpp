// Nothing is rounded anew when weights are loaded: for a token alone, what a unit computes from
// inputs that need no rounding is off by the order of float sums and no more.
#include "engine/vulkan/exact_weights.h"
#include "base/environment.h"
#include "gguf/encoding.h"

#include <QtTest>

using hearth::DType;
using hearth::test::HeldBlock;

namespace {

constexpr double kBound = 5e-6;

}  // namespace

class ExactWeightsTest : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<hearth::vulkan::Device> device_;
    std::string why_missing_;
    std::vector<HeldBlock> blocks_;

private slots:
    void initTestCase() {
        using namespace hearth::vulkan;
        auto instance =
            Instance::create(validation_from(hearth::read_environment().vulkan_validation));
        auto device = instance ? Device::create(*instance, 0, {})
                               : hearth::Result<std::shared_ptr<Device>>(instance.error());
        if (device) {
            device_ = *device;
        } else {
            why_missing_ = device.error().message;
            QVERIFY2(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"), why_missing_.c_str());
        }
        for (const bool on_gpu : {false, true}) {
            for (const hearth::Encoding& encoding : hearth::encodings()) {
                const DType type = encoding.type;
                if (encoding.has(hearth::Layout::NeuronRow)) {
                    blocks_.push_back({type, type, type, on_gpu, true});
                }
                // What is multiplied with a down projection by output is rounded to 8 bits.
                blocks_.push_back({type, type, DType::F32, on_gpu, false});
            }
            for (const auto& [gate, up] :
                 {std::pair{DType::Q4_0, DType::Q8_0}, std::pair{DType::Q8_0, DType::Q4_0},
                  std::pair{DType::Q5_0, DType::Q4_0}, std::pair{DType::Q6_K, DType::Q8_0},
                  std::pair{DType::F16, DType::Q8_0}, std::pair{DType::BF16, DType::F16}}) {
                blocks_.push_back({gate, up, DType::F32, on_gpu, true});
                blocks_.push_back({gate, up, DType::F32, on_gpu, false});
            }
        }
    }
    void cleanupTestCase() { device_.reset(); }

    void held_as_the_file_has_it_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            QTest::newRow(blocks_[i].name().c_str()) << static_cast<int>(i);
        }
    }
    void held_as_the_file_has_it() {
        QFETCH(int, index);
        const HeldBlock& block = blocks_[static_cast<std::size_t>(index)];
        if (block.on_gpu && device_ == nullptr) {
            QSKIP(why_missing_.c_str());
        }
        std::string problem;
        const double error = hearth::test::error_of(block, device_, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        qInfo("%.2e", error);
        QVERIFY2(error < kBound, qPrintable(QString::number(error)));
    }
};

QTEST_GUILESS_MAIN(ExactWeightsTest)
#include "exact_weights_test.moc"
