import QtQuick
import Hearth

// The row under a message: its versions, its buttons, and the cost of the answer.
Row {
    id: actions

    required property bool fromUser
    required property int versionIndex
    required property int versionCount
    required property string stats
    required property bool canChange  // not read only, and no answer is being written
    property bool tooLong: false      // too long to be edited
    required property real widthMost  // the statistics are wrapped at this width
    property bool reachable: true     // its buttons take part in Tab

    signal copied()
    signal menuAsked(from: Item)
    signal edited()
    signal regenerated()
    signal versionAsked(int index)

    spacing: 2
    layoutDirection: fromUser ? Qt.RightToLeft : Qt.LeftToRight

    component Action: IconButton {
        side: 28
        iconSize: 17
        activeFocusOnTab: actions.reachable || activeFocus
    }

    Row {
        visible: actions.versionCount > 1
        spacing: 0

        Action {
            objectName: "olderVersion"
            iconName: "chevronLeft"
            text: qsTr("Older version")
            enabled: actions.versionIndex > 0 && actions.canChange
            onClicked: actions.versionAsked(actions.versionIndex - 1)
        }

        Text {
            objectName: "versionLabel"
            anchors.verticalCenter: parent.verticalCenter
            text: qsTr("%1/%2").arg(actions.versionIndex + 1).arg(actions.versionCount)
            textFormat: Text.PlainText
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: Theme.textMuted

            Accessible.role: Accessible.StaticText
            Accessible.name: qsTr("Version %1 of %2").arg(actions.versionIndex + 1)
                .arg(actions.versionCount)
        }

        Action {
            objectName: "newerVersion"
            iconName: "chevronRight"
            text: qsTr("Newer version")
            enabled: actions.versionIndex < actions.versionCount - 1 && actions.canChange
            onClicked: actions.versionAsked(actions.versionIndex + 1)
        }
    }

    Action {
        id: copy

        property bool done: false

        objectName: "copyMessage"
        iconName: done ? "check" : "copy"
        ink: done ? Theme.success : Theme.textMuted
        inkHover: done ? Theme.success : Theme.text
        text: done ? qsTr("Copied") : qsTr("Copy")
        Accessible.name: done ? qsTr("Copied")
            : actions.fromUser ? qsTr("Copy this message") : qsTr("Copy this answer")
        onClicked: {
            actions.copied()
            done = true
            fade.restart()
        }

        Timer {
            id: fade

            interval: 1800
            onTriggered: copy.done = false
        }
    }

    Action {
        objectName: "editMessage"
        visible: actions.fromUser
        enabled: actions.canChange && !actions.tooLong
        iconName: "pencil"
        text: actions.tooLong ? qsTr("Too long to edit here") : qsTr("Edit")
        Accessible.name: actions.tooLong ? text : qsTr("Edit this message")
        onClicked: actions.edited()
    }

    Action {
        objectName: "regenerate"
        visible: !actions.fromUser
        enabled: actions.canChange
        iconName: "refresh"
        text: qsTr("Answer again")
        onClicked: actions.regenerated()
    }

    Action {
        id: more

        objectName: "messageMenuButton"
        iconName: "dots"
        text: qsTr("More")
        Accessible.name: actions.fromUser ? qsTr("More for this message")
            : qsTr("More for this answer")
        onClicked: actions.menuAsked(more)
    }

    Text {
        objectName: "stats"
        anchors.verticalCenter: parent.verticalCenter
        leftPadding: Theme.small
        width: Math.min(Math.ceil(natural.advanceWidth) + leftPadding + 1, actions.widthMost - x)
        wrapMode: Text.Wrap
        visible: !actions.fromUser && text !== ""
        text: actions.stats
        textFormat: Text.PlainText
        font.family: Theme.sans
        font.pixelSize: Theme.fontTiny
        color: Theme.textMuted

        Accessible.role: Accessible.StaticText
        Accessible.name: text

        // Measured on one line: the text's own implicit width changes when it is wrapped.
        TextMetrics {
            id: natural

            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            text: actions.stats
        }
    }
}
