import QtQuick
import Hearth

// On the page of models: the copy that is being written, or that a crash left half written.
Rectangle {
    id: card

    required property ModelPacking packing

    readonly property bool runs: packing.state === "running" || packing.state === "stopping"

    signal shown()

    implicitHeight: body.implicitHeight + 2 * Theme.medium
    radius: Theme.radius + 2
    color: Theme.surface
    border.width: 1
    border.color: Theme.border

    Column {
        id: body

        x: Theme.medium
        y: Theme.medium
        width: parent.width - 2 * x
        spacing: Theme.small

        Text {
            objectName: "packingSays"
            width: parent.width
            text: card.runs ? qsTr("Preparing %1").arg(card.packing.name)
                : qsTr("Preparing %1 was interrupted, and a half-written copy lies on the disk.")
                    .arg(card.packing.name)
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            font.weight: Font.Medium
            color: Theme.text
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        Text {
            width: parent.width
            visible: text !== ""
            text: card.packing.wrong
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.errorText
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        PackingProgress {
            width: parent.width
            visible: card.runs
            packing: card.packing
        }
        Flow {
            width: parent.width
            spacing: Theme.small

            AppButton {
                objectName: "resumePacking"
                visible: !card.runs
                text: qsTr("Go on")
                Accessible.name: qsTr("Go on preparing %1").arg(card.packing.name)
                onClicked: card.packing.begin()
            }
            AppButton {
                objectName: "discardPacking"
                kind: "quiet"
                visible: !card.runs
                text: qsTr("Remove it")
                Accessible.name: qsTr("Remove the half-written copy of %1").arg(card.packing.name)
                onClicked: card.packing.discard()
            }
            AppButton {
                objectName: "showPacking"
                visible: card.runs
                text: qsTr("Show")
                Accessible.name: qsTr("Show how far preparing %1 is").arg(card.packing.name)
                onClicked: card.shown()
            }
        }
    }
}
