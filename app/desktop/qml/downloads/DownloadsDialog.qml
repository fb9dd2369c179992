import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// All downloads: those under way, those that wait, and those that are done.
AppDialog {
    id: dialog

    required property Downloads downloads

    signal used(string path)

    title: qsTr("Downloads")
    width: Math.min(680, (parent ? parent.width : 680) - 2 * Theme.large)
    first: (list.count > 0 ? list : closing) as Item
    onAboutToShow: list.forceLayout()  // it counts what came and went while it was not seen

    Text {
        objectName: "downloadsTrouble"
        width: parent.width
        visible: text !== ""
        text: dialog.downloads.trouble
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.errorText
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Column {
        objectName: "noDownloads"
        width: parent.width
        visible: list.count === 0
        topPadding: Theme.large
        bottomPadding: Theme.large
        spacing: Theme.medium

        Icon {
            anchors.horizontalCenter: parent.horizontalCenter
            name: "download"
            size: 34
            color: Theme.textMuted
        }
        Text {
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            text: qsTr("Nothing is being downloaded. Your downloads appear here, and continue after an"
                       + " interruption.")
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            lineHeight: 1.2
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.textMuted
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
    }

    ListView {
        id: list

        objectName: "downloadList"
        width: parent.width
        height: Math.min(contentHeight,
            Math.max(160, (dialog.parent ? dialog.parent.height : 640) - 220))
        visible: count > 0
        clip: contentHeight > height
        activeFocusOnTab: true
        keyNavigationEnabled: true
        highlightFollowsCurrentItem: false
        boundsBehavior: Flickable.StopAtBounds
        model: dialog.downloads.list
        Basic.ScrollBar.vertical: AppScrollBar { }

        Accessible.role: Accessible.List
        Accessible.name: dialog.title

        onCurrentIndexChanged: positionViewAtIndex(currentIndex, ListView.Contain)

        FollowFocus {
            view: list
        }

        delegate: DownloadDelegate {
            width: ListView.view.width - (list.contentHeight > list.height ? Theme.medium : 0)
            downloads: dialog.downloads
            onUsed: path => {
                dialog.close()
                dialog.used(path)
            }
        }
    }

    AppButton {
        id: closing

        objectName: "closeDownloads"
        anchors.right: parent.right
        text: qsTr("Close")
        onClicked: dialog.close()
    }
}
