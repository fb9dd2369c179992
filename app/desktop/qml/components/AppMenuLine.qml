import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

Basic.MenuSeparator {
    topPadding: 6
    bottomPadding: 6
    Accessible.ignored: true

    contentItem: Rectangle {
        implicitHeight: 1
        color: Theme.line
    }
}
