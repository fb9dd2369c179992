// The sentence of a plan about the profile that it goes by.
#include "plan/known_profile.h"

#include <QtTest>
#include <string>

using namespace hearth;

class KnownProfileTest : public QObject {
    Q_OBJECT

private slots:
    void sentence_data() {
        QTest::addColumn<int>("source");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<QString>("words");
        const auto row = [](ProfileSource source, int tokens, const char* words) {
            QTest::addRow("%d, %d", static_cast<int>(source), tokens)
                << static_cast<int>(source) << tokens << QString::fromLatin1(words);
        };
        row(ProfileSource::Given, 1,
            "the activation profile that was named, from 1 token, is not used: at least 100 are "
            "needed, so every neuron is assumed to fire for every token");
        row(ProfileSource::OfItself, 99,
            "the activation profile that the model made of itself, from 99 tokens, is not used: at "
            "least 100 are needed, so every neuron is assumed to fire for every token");
        row(ProfileSource::OfItself, 100,
            "the activation profile that the model made of itself, from 100 tokens, says how often "
            "each neuron fires");
        row(ProfileSource::InModel, 101,
            "the activation profile in the model's file, from 101 tokens, says how often each "
            "neuron fires");
    }
    // Just enough tokens are enough, as for the plan itself (cost_model.h).
    void sentence() {
        QFETCH(int, source);
        QFETCH(int, tokens);
        QFETCH(QString, words);
        ActivationProfile profile;
        profile.tokens = static_cast<std::uint64_t>(tokens);
        QCOMPARE(
            QString::fromStdString(profile_text({static_cast<ProfileSource>(source), profile})),
            words);
    }

    void none() {
        QCOMPARE(QString::fromStdString(profile_text({})),
                 QStringLiteral("there is no activation profile of this model: every neuron is "
                                "assumed to fire for every token"));
    }
};

QTEST_APPLESS_MAIN(KnownProfileTest)
#include "known_profile_test.moc"
