import QtQuick
import Hearth

// The requests that Hearth made, and the switch that forbids all of them.
AppDialog {
    id: dialog

    required property NetworkOverview network
    required property TokenKeeper tokens

    title: qsTr("Network")
    width: Math.min(680, (parent ? parent.width : 680) - 2 * Theme.large)
    first: forbid
    onAboutToShow: tokens.look()

    component Line: Text {
        width: parent.width
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        lineHeight: 1.2
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.text
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Line {
        text: qsTr("Your chats leave this computer for remote models that you choose and for what you"
                   + " allow tools. Hearth makes requests only for these, your searches and downloads,"
                   + " and lists each one here.")
    }

    AppSwitch {
        id: forbid

        objectName: "forbidNetwork"
        width: parent.width
        text: dialog.network.allowed
            ? qsTr("Forbid all network requests")
            : qsTr("Forbid all network requests: nothing leaves this computer, and downloads are "
                + "paused")
        on: !dialog.network.allowed
        onAsked: on => dialog.network.allowed = !on
    }

    TokenLine {
        width: parent.width
        tokens: dialog.tokens
    }

    Line {
        objectName: "requestCount"
        text: requests.count === 0
            ? qsTr("No request was made since Hearth started.")
            : qsTr("Since Hearth started, latest first:")
        color: Theme.textMuted
    }

    Rectangle {
        width: parent.width
        height: requests.height + 2
        visible: requests.count > 0
        radius: Theme.radius + 2
        color: Theme.surface
        border.width: 1
        border.color: Theme.border

        RequestList {
            id: requests

            objectName: "requestList"
            x: 1
            y: 1
            width: parent.width - 2
            height: Math.min(contentHeight,
                Math.max(140, (dialog.parent ? dialog.parent.height : 640) - 420))
            model: dialog.network.requests
        }
    }
}
