import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

Basic.ScrollBar {
    id: bar

    padding: 3
    minimumSize: 0.06
    focusPolicy: Qt.NoFocus
    visible: size < 1 && policy !== Basic.ScrollBar.AlwaysOff

    Accessible.ignored: true

    background: null
    contentItem: Rectangle {
        implicitWidth: 6
        implicitHeight: 6
        radius: 3
        color: Theme.controlBorder
        opacity: bar.pressed ? 0.9 : bar.hovered ? 0.7 : bar.active ? 0.5 : 0.25
    }
}
