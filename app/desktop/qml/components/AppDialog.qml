import QtQuick
import QtQuick.Controls.Basic as Basic
import QtQuick.Templates as T
import Hearth

// A card in the middle of the window with a title and a close button. Escape closes it and returns the
// keyboard to its earlier place.
Basic.Popup {
    id: dialog

    property string title
    property Item first: closeButton  // has the keyboard when the dialog opens
    property Item cameFrom: null
    readonly property int ring: 4     // room beside the content for the focus ring
    default property alias body: column.data

    parent: T.Overlay.overlay
    anchors.centerIn: parent
    width: Math.min(460, (parent ? parent.width : 460) - 2 * Theme.large)
    height: Math.min(implicitHeight, (parent ? parent.height : 600) - 2 * Theme.large)
    padding: Theme.huge - ring
    modal: true
    focus: true
    closePolicy: Basic.Popup.CloseOnEscape | Basic.Popup.CloseOnPressOutside
    enter: Transition {
        NumberAnimation {
            property: "opacity"
            from: 0
            to: 1
            duration: Theme.quick
        }
    }
    exit: null  // during a fade it would still keep shortcuts from the window

    onAboutToShow: cameFrom = parent.Window.activeFocusItem
    // Now, not after the transition: a key may be quicker than that.
    onVisibleChanged: {
        if (visible) {
            first.forceActiveFocus(Qt.TabFocusReason)
        }
    }
    // Now, not after it is gone: by then another dialog may have the keyboard.
    onAboutToHide: {
        if (cameFrom !== null) {
            cameFrom.forceActiveFocus()
        }
    }

    T.Overlay.modal: Rectangle {
        color: Theme.scrim
    }

    background: Rectangle {
        radius: Theme.radiusLarge
        color: Theme.raised
        border.width: 1
        border.color: Theme.border

        Shadow { }
    }

    contentItem: Flickable {
        id: flick

        implicitHeight: contentHeight
        contentHeight: column.implicitHeight + 2 * dialog.ring
        boundsBehavior: Flickable.StopAtBounds
        clip: contentHeight > height
        // Beside the text, in the card's margin.
        Basic.ScrollBar.vertical: AppScrollBar {
            parent: flick.parent
            x: flick.x + flick.width + Math.round((dialog.padding - dialog.ring - width) / 2)
            y: flick.y
            height: flick.height
        }

        FollowFocus {
            view: flick
        }

        Accessible.role: Accessible.Dialog
        Accessible.name: dialog.title

        Column {
            id: column

            x: dialog.ring
            y: dialog.ring
            width: flick.width - 2 * dialog.ring
            spacing: Theme.medium

            Item {
                width: parent.width
                implicitHeight: Math.max(heading.implicitHeight, closeButton.implicitHeight)

                Text {
                    id: heading

                    anchors.left: parent.left
                    anchors.verticalCenter: parent.verticalCenter
                    width: parent.width - closeButton.width - Theme.small
                    text: dialog.title
                    textFormat: Text.PlainText
                    wrapMode: Text.Wrap
                    font.family: Theme.sans
                    font.pixelSize: Theme.headingSize(3)
                    font.weight: Font.DemiBold
                    color: Theme.text

                    Accessible.role: Accessible.Heading
                    Accessible.name: text
                }

                IconButton {
                    id: closeButton

                    anchors.right: parent.right
                    anchors.verticalCenter: parent.verticalCenter
                    iconName: "close"
                    text: qsTr("Close")
                    hint: qsTr("Esc")
                    tipOnFocus: false  // it would cover the dialog's text
                    onClicked: dialog.close()
                }
            }
        }
    }
}
