import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// What the search over all chats found, in place of the list of chats: the chat's title over a line around
// the hit.
FocusScope {
    id: found

    required property ChatSearch search

    signal opened(var conversationId, var messageId)
    signal leftUpwards()

    function takeFocus(): void {
        if (list.count > 0) {
            list.currentIndex = Math.max(0, list.currentIndex)
            list.forceActiveFocus(Qt.TabFocusReason)
        }
    }

    function openFirst(): void {
        const item = list.itemAtIndex(0) as SearchHitDelegate
        if (item !== null) {
            list.currentIndex = 0
            item.opened()
        }
    }

    ListView {
        id: list

        objectName: "searchHits"
        anchors.fill: parent
        clip: true
        focus: true
        boundsBehavior: Flickable.StopAtBounds
        highlightFollowsCurrentItem: false
        keyNavigationEnabled: true
        model: found.search.hits

        Basic.ScrollBar.vertical: AppScrollBar {
            parent: found
            anchors.top: list.top
            anchors.bottom: list.bottom
            anchors.left: list.right
        }

        Accessible.role: Accessible.List
        Accessible.name: qsTr("Messages found")

        onCurrentIndexChanged: positionViewAtIndex(currentIndex, ListView.Contain)

        Keys.onUpPressed: event => {
            if (currentIndex > 0) {
                event.accepted = false
            } else {
                found.leftUpwards()
            }
        }

        delegate: SearchHitDelegate {
            width: ListView.view.width
            onOpened: {
                ListView.view.currentIndex = index
                found.opened(conversationId, messageId)
            }
        }

        footer: Item {
            width: list.width
            height: said.visible ? said.y + said.implicitHeight : 0

            Text {
                id: said

                objectName: "searchSays"
                x: Theme.small
                y: list.count > 0 ? Theme.small : 0
                width: parent.width - 2 * Theme.small
                visible: text !== ""
                text: found.search.says
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.textMuted
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
        }
    }
}
