import QtQuick
import Hearth

// The progress of the copy.
Column {
    id: root

    required property ModelPacking packing

    spacing: Theme.tiny + 2

    ProgressLine {
        objectName: "packingProgress"
        width: parent.width
        value: root.packing.progress
        lively: root.packing.state === "running"
        what: qsTr("Preparing %1").arg(root.packing.name)
    }
    Text {
        objectName: "packingLine"
        width: parent.width
        text: root.packing.line
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
}
