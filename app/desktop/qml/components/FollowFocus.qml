import QtQuick

// Brings what has the keyboard into view, in a Flickable that it may have left.
Connections {
    id: follow

    required property Flickable view

    signal moved()

    target: view.Window.window

    function onActiveFocusItemChanged(): void {
        const item = view.Window.activeFocusItem
        let up = item
        while (up !== null && up !== view.contentItem) {
            up = up.parent
        }
        if (up === null) {
            return
        }
        const top = item.mapToItem(view.contentItem, 0, 0).y
        const bottom = top + item.height
        const seenTop = view.contentY
        const seenBottom = view.contentY + view.height
        if (bottom > seenTop + 8 && top < seenBottom - 8 && item.height > view.height) {
            return  // larger than the view, and in it
        }
        const space = 8
        if (top < seenTop) {
            view.contentY = Math.max(view.originY, top - space)
            moved()
        } else if (bottom > seenBottom) {
            view.contentY = Math.min(top - space, bottom - view.height + space,
                Math.max(view.originY, view.originY + view.contentHeight - view.height))
            moved()
        }
    }
}
