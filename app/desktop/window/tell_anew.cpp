#include "window/tell_anew.h"

#include <QAbstractItemModel>
#include <QMetaProperty>
#include <QSet>
#include <QVariant>
#include <array>

namespace hearth::ui {

namespace {

bool holdsWords(const QMetaType& type) {
    static const std::array kTypes{
        QMetaType::fromType<QString>(), QMetaType::fromType<QStringList>(),
        QMetaType::fromType<QVariantList>(), QMetaType::fromType<QVariantMap>()};
    return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

void tell(QObject* part, QSet<QObject*>& told) {
    const bool isOurs =
        part != nullptr &&
        QLatin1String(part->metaObject()->className()).startsWith(QLatin1String("hearth::ui::"));
    if (!isOurs || told.contains(part)) {
        return;
    }
    told.insert(part);
    QSet<int> signalled;
    const QMetaObject& type = *part->metaObject();
    for (int i = QObject::staticMetaObject.propertyCount(); i < type.propertyCount(); ++i) {
        const QMetaProperty property = type.property(i);
        if (property.metaType().flags().testFlag(QMetaType::PointerToQObject)) {
            tell(property.read(part).value<QObject*>(), told);
        } else if (holdsWords(property.metaType()) && property.hasNotifySignal() &&
                   property.notifySignal().parameterCount() == 0 &&
                   !signalled.contains(property.notifySignalIndex())) {
            signalled.insert(property.notifySignalIndex());
            property.notifySignal().invoke(part, Qt::DirectConnection);
        }
    }
    auto* model = qobject_cast<QAbstractItemModel*>(part);
    if (model != nullptr && model->rowCount() > 0) {
        emit model->dataChanged(model->index(0, 0), model->index(model->rowCount() - 1, 0));
    }
}

}  // namespace

void tellAnew(QObject& root) {
    QSet<QObject*> told;
    tell(&root, told);
}

}  // namespace hearth::ui
