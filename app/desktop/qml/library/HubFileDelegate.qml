import QtQuick
import Hearth

// One model of a repository: a file, or all files of a split one.
Item {
    id: row

    required property int index
    property HubSearch hub
    property var file
    readonly property string found: row.hub.states[index] ?? ""
    readonly property bool narrow: width < 440 * Theme.zoom

    objectName: "hubFile"
    implicitHeight: body.implicitHeight + 2 * Theme.small + Theme.tiny
        + (narrow ? button.implicitHeight + Theme.small : 0)

    Accessible.role: Accessible.ListItem
    Accessible.name: row.file.title + ". " + row.file.facts
        + (row.file.warning === "" ? "" : ". " + row.file.warning)

    Rectangle {
        width: parent.width
        height: parent.height - Theme.tiny
        radius: Theme.radius + 2
        color: Theme.surface
        border.width: 1
        border.color: Theme.border
    }

    Column {
        id: body

        x: Theme.medium
        y: Theme.small
        width: parent.width - 2 * x - (row.narrow ? 0 : button.width + Theme.small)
        spacing: 2

        Text {
            width: parent.width
            text: row.file.title
            textFormat: Text.PlainText
            wrapMode: Text.WrapAnywhere
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            font.weight: Font.DemiBold
            color: Theme.text
            Accessible.ignored: true
        }
        Text {
            width: parent.width
            text: row.file.facts
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.textMuted
            Accessible.ignored: true
        }
        Text {
            objectName: "hubWarning"
            width: parent.width
            visible: text !== ""
            text: row.file.warning
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.warningText
            Accessible.ignored: true
        }
    }

    AppButton {
        id: button

        objectName: "getHubFile"
        x: row.narrow ? Theme.medium : parent.width - width - Theme.medium
        y: row.narrow ? body.y + body.height + Theme.small
            : Math.round((parent.height - Theme.tiny - height) / 2)
        enabled: row.found === ""
        kind: row.file.warning === "" ? "plain" : "quiet"
        text: row.found === "here" ? qsTr("On this computer")
            : row.found === "coming" ? qsTr("Among the downloads")
            : row.file.warning === "" ? qsTr("Download") : qsTr("Download anyway")
        Accessible.name: row.found === "" ? qsTr("%1: %2, %3").arg(text).arg(row.file.title)
            .arg(row.file.facts) : text
        onClicked: row.hub.get(row.index)
    }
}
