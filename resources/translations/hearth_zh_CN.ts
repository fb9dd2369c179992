<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>Hearth %1</source>
        <translation>Hearth %1</translation>
    </message>
</context>
<context>
    <name>AboutText</name>
    <message>
        <source>Your chats are kept in</source>
        <translation>对话保存在</translation>
    </message>
    <message>
        <source>Copy the folder&apos;s path</source>
        <translation>复制文件夹路径</translation>
    </message>
    <message>
        <source>The program is free software under the MIT licence; the starter model that comes with it is under CC BY-SA 4.0.</source>
        <translation>本程序是采用 MIT 许可证的自由软件；随附的入门模型采用 CC BY-SA 4.0 许可证。</translation>
    </message>
    <message>
        <source>All licences…</source>
        <translation>所有许可证…</translation>
    </message>
    <message>
        <source>A chat with a language model that runs on this computer. Nothing you write leaves it, unless you choose a remote model.</source>
        <translation>与运行在本机上的语言模型对话。除非选择了远程模型，否则写下的内容不会离开本机。</translation>
    </message>
</context>
<context>
    <name>AddToolServer</name>
    <message>
        <source>Name of the new server</source>
        <translation>新服务器的名称</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Command line or address of the new server</source>
        <translation>新服务器的命令行或地址</translation>
    </message>
    <message>
        <source>Command line, or https://…</source>
        <translation>命令行，或 https://…</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add the server</source>
        <translation>添加服务器</translation>
    </message>
</context>
<context>
    <name>AmountRow</name>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>%1: automatic</source>
        <translation>%1：自动</translation>
    </message>
    <message>
        <source>%1, typed</source>
        <translation>%1，键入</translation>
    </message>
</context>
<context>
    <name>AppDialog</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
</context>
<context>
    <name>AppPaths</name>
    <message>
        <source>What is kept:</source>
        <translation>保存的内容：</translation>
    </message>
    <message>
        <source>conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>缓存</translation>
    </message>
</context>
<context>
    <name>AttachedFile</name>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Shows its text</source>
        <translation>显示其文本</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>移除 %1</translation>
    </message>
</context>
<context>
    <name>AttachedText</name>
    <message>
        <source>Pasted text, %1</source>
        <translation>粘贴的文本，%1</translation>
    </message>
    <message>
        <source>Shows all of it</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Remove the pasted text</source>
        <translation>移除粘贴的文本</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭提示</translation>
    </message>
</context>
<context>
    <name>BlockCode</name>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the formula</source>
        <translation>复制公式</translation>
    </message>
    <message>
        <source>Copy the code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Code in %1</source>
        <translation>%1 代码</translation>
    </message>
    <message>
        <source>This drawing cannot be shown: its source is not complete SVG.</source>
        <translation>无法显示此图形：源码不是完整的 SVG。</translation>
    </message>
    <message>
        <source>This drawing cannot be shown: its source is too long.</source>
        <translation>无法显示此图形：源码太长。</translation>
    </message>
    <message>
        <source>This drawing cannot be shown: it is empty.</source>
        <translation>无法显示此图形：内容为空。</translation>
    </message>
    <message>
        <source>This drawing cannot be shown: it takes too much time or memory.</source>
        <translation>无法显示此图形：需要太多时间或内存。</translation>
    </message>
    <message>
        <source>Parts of this drawing cannot be shown.</source>
        <translation>此图形的部分内容无法显示。</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源码</translation>
    </message>
    <message>
        <source>Drawing</source>
        <translation>图形</translation>
    </message>
    <message>
        <source>Show the source</source>
        <translation>显示源码</translation>
    </message>
    <message>
        <source>Show the drawing</source>
        <translation>显示图形</translation>
    </message>
</context>
<context>
    <name>BlockDrawing</name>
    <message>
        <source>Drawing</source>
        <translation>图形</translation>
    </message>
</context>
<context>
    <name>BlockFormula</name>
    <message>
        <source>Formula: %1</source>
        <translation>公式：%1</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy the formula</source>
        <translation>复制公式</translation>
    </message>
</context>
<context>
    <name>BlockText</name>
    <message>
        <source>Leads to %1</source>
        <translation>指向 %1</translation>
    </message>
</context>
<context>
    <name>Catalog</name>
    <message>
        <source>The list of models to download cannot be read: %1.</source>
        <translation>无法读取可下载模型的列表：%1。</translation>
    </message>
    <message>
        <source>it is too large</source>
        <translation>它太大</translation>
    </message>
    <message>
        <source>it is of another version</source>
        <translation>它的版本不符</translation>
    </message>
    <message>
        <source>it is too long</source>
        <translation>它太长</translation>
    </message>
    <message>
        <source>The chat template “%1” of the list makes no sense.</source>
        <translation>列表中的对话模板“%1”无效。</translation>
    </message>
    <message>
        <source>Model %1 of the list is left out: its “%2” is wrong.</source>
        <translation>列表中的模型 %1 已略过：其“%2”有误。</translation>
    </message>
    <message>
        <source>Model %1 of the list is left out: it is there twice.</source>
        <translation>列表中的模型 %1 已略过：它出现了两次。</translation>
    </message>
</context>
<context>
    <name>CatalogWords</name>
    <message>
        <source>Chat, English. Sparse: about a tenth of its neurons answer each word.</source>
        <translation>对话，英语。稀疏：每个词约用十分之一的神经元。</translation>
    </message>
    <message>
        <source>The same, not quantised.</source>
        <translation>同一模型，未量化。</translation>
    </message>
    <message>
        <source>Continues texts, English. Sparse: nine in ten neurons stay at zero.</source>
        <translation>续写文本，英语。稀疏：十分之九的神经元保持为零。</translation>
    </message>
    <message>
        <source>Continues texts, English. Sparse.</source>
        <translation>续写文本，英语。稀疏。</translation>
    </message>
    <message>
        <source>Continues texts, English. Sparse, and large: it streams from disk on most computers.</source>
        <translation>续写文本，英语。稀疏且很大：在多数电脑上需从磁盘流式读取。</translation>
    </message>
    <message>
        <source>Small and quick. Chat in eight languages.</source>
        <translation>小巧快速。支持八种语言对话。</translation>
    </message>
    <message>
        <source>The same with less rounding.</source>
        <translation>同一模型，舍入更少。</translation>
    </message>
    <message>
        <source>Chat in eight languages.</source>
        <translation>支持八种语言对话。</translation>
    </message>
    <message>
        <source>The smallest of its family: for a first try and for computers with little memory. Chat in many languages.</source>
        <translation>同系列中最小：适合初次尝试和内存较小的电脑。支持多种语言对话。</translation>
    </message>
    <message>
        <source>Small and quick. Chat in many languages; thinks first where it is asked to.</source>
        <translation>小巧快速。支持多种语言对话；可按要求先思考。</translation>
    </message>
    <message>
        <source>For every day. Chat in many languages; thinks first where it is asked to.</source>
        <translation>适合日常使用。支持多种语言对话；可按要求先思考。</translation>
    </message>
    <message>
        <source>For graphics cards with 8 GB, or 16 GB of memory. Chat in many languages; thinks first where it is asked to.</source>
        <translation>适合 8 GB 显卡或 16 GB 内存。支持多种语言对话；可按要求先思考。</translation>
    </message>
    <message>
        <source>Large: for graphics cards with 24 GB. It answers slowly elsewhere.</source>
        <translation>较大：适合 24 GB 显卡，否则回答较慢。</translation>
    </message>
    <message>
        <source>Small: much of it stays on disk. Chat in many languages.</source>
        <translation>小巧：大部分留在磁盘上。支持多种语言对话。</translation>
    </message>
    <message>
        <source>For every day: much of it stays on disk. Chat in many languages.</source>
        <translation>适合日常使用：大部分留在磁盘上。支持多种语言对话。</translation>
    </message>
    <message>
        <source>For graphics cards with 12 GB, or 16 GB of memory. Chat in many languages.</source>
        <translation>适合 12 GB 显卡或 16 GB 内存。支持多种语言对话。</translation>
    </message>
    <message>
        <source>A mixture of experts for 24 GB of memory, or less beside a graphics card: each word reads a fifth of it.</source>
        <translation>混合专家模型，适合 24 GB 内存，配合显卡可更少：每个词读取其五分之一。</translation>
    </message>
    <message>
        <source>A mixture of experts for 32 GB of memory, or less beside a graphics card: each word reads a sixth of it.</source>
        <translation>混合专家模型，适合 32 GB 内存，配合显卡可更少：每个词读取其六分之一。</translation>
    </message>
    <message>
        <source>A mixture of experts for 48 GB of memory, or 24 GB beside a graphics card with 12 GB: each word reads a tenth of it.</source>
        <translation>混合专家模型，适合 48 GB 内存，或 24 GB 内存加 12 GB 显卡：每个词读取其十分之一。</translation>
    </message>
    <message>
        <source>Chat in six languages; thinks first unless it is told not to.</source>
        <translation>支持六种语言对话；默认先思考。</translation>
    </message>
    <message>
        <source>For every day, without thinking. Chat in many languages.</source>
        <translation>适合日常使用，不思考。支持多种语言对话。</translation>
    </message>
    <message>
        <source>The smallest: for a first try, and for computers with little memory. Chat in many languages.</source>
        <translation>最小：适合初次尝试和内存较小的电脑。支持多种语言对话。</translation>
    </message>
    <message>
        <source>Small and quick. Chat in many languages.</source>
        <translation>小巧快速。支持多种语言对话。</translation>
    </message>
    <message>
        <source>Chat and code.</source>
        <translation>对话与代码。</translation>
    </message>
    <message>
        <source>Chat, with a long context.</source>
        <translation>对话，上下文较长。</translation>
    </message>
    <message>
        <source>Chat, English.</source>
        <translation>对话，英语。</translation>
    </message>
</context>
<context>
    <name>ChatFiles</name>
    <message>
        <source>There is no chat in it that Hearth can read.</source>
        <translation>其中没有 Hearth 能读取的对话。</translation>
    </message>
    <message>
        <source>The archive is damaged.</source>
        <translation>归档已损坏。</translation>
    </message>
    <message>
        <source>The archive has too many files.</source>
        <translation>归档中的文件太多。</translation>
    </message>
    <message>
        <source>It is too large: Hearth reads chats from files of up to 512 MB.</source>
        <translation>文件太大：Hearth 只读取不超过 512 MB 的对话文件。</translation>
    </message>
    <message>
        <source>It cannot be read: %1.</source>
        <translation>无法读取：%1。</translation>
    </message>
    <message>
        <source>Hearth reads chats of GPT4All 3.5 and later, without calls of tools.</source>
        <translation>Hearth 读取 GPT4All 3.5 及更高版本的对话，不含工具调用。</translation>
    </message>
    <message>
        <source>The archive could not be written: %1</source>
        <translation>无法写入归档：%1</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>已停止。</translation>
    </message>
</context>
<context>
    <name>ChatMarkdown</name>
    <message>
        <source>You</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>Project: %1</source>
        <translation>项目：%1</translation>
    </message>
    <message>
        <source>Attached: %1</source>
        <translation>附件：%1</translation>
    </message>
</context>
<context>
    <name>ChatMenu</name>
    <message>
        <source>Unpin</source>
        <translation>取消置顶</translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>Instructions…</source>
        <translation>指令…</translation>
    </message>
    <message>
        <source>Move to a project…</source>
        <translation>移到项目…</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>导出为 Markdown…</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>导出为 JSON…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Del</translation>
    </message>
</context>
<context>
    <name>ChatStream</name>
    <message>
        <source>The server sent more than an answer can have.</source>
        <translation>服务器发送的内容超过了回答的上限。</translation>
    </message>
    <message>
        <source>The server sent something that is no answer of a model.</source>
        <translation>服务器发送的内容不是模型的回答。</translation>
    </message>
    <message>
        <source>The server failed and does not say why.</source>
        <translation>服务器失败，且未说明原因。</translation>
    </message>
    <message>
        <source>The server sent more calls of tools than an answer can have.</source>
        <translation>服务器发送的工具调用超过了回答的上限。</translation>
    </message>
    <message>
        <source>The server sent a call of a tool that has no usable name.</source>
        <translation>服务器发送的工具调用没有可用的名称。</translation>
    </message>
    <message>
        <source>The connection ended before the answer was complete.</source>
        <translation>回答尚未完成，连接就已断开。</translation>
    </message>
    <message>
        <source>A filter of the server ended this answer.</source>
        <translation>服务器的过滤器终止了此回答。</translation>
    </message>
</context>
<context>
    <name>ChatView</name>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Jump to the latest</source>
        <translation>跳到最新</translation>
    </message>
</context>
<context>
    <name>ChoiceRow</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>This chat can only be read</source>
        <translation>此对话只能阅读</translation>
    </message>
    <message>
        <source>You can write while the model loads</source>
        <translation>模型加载期间可以先写</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>写一条消息</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Enter sends, Shift and Enter start a new line</source>
        <translation>Enter 发送，Shift+Enter 换行</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>发送消息</translation>
    </message>
    <message>
        <source>Stop  ·  Esc</source>
        <translation>停止  ·  Esc</translation>
    </message>
    <message>
        <source>Send  ·  Enter</source>
        <translation>发送  ·  Enter</translation>
    </message>
    <message>
        <source>Attach a file</source>
        <translation>附加文件</translation>
    </message>
    <message>
        <source>Nothing can be sent now: these chats can only be read.</source>
        <translation>现在无法发送：这些对话只能阅读。</translation>
    </message>
    <message>
        <source>Answers can be wrong. Tools get what you allow.</source>
        <translation>回答可能有误。工具只能得到允许的内容。</translation>
    </message>
    <message>
        <source>Answers can be wrong. Everything stays on this computer.</source>
        <translation>回答可能有误。一切都留在这台电脑上。</translation>
    </message>
    <message>
        <source>Answers can be wrong. Words go to %1. Tools get what you allow.</source>
        <translation>回答可能有误。文字会发送到 %1。工具只能得到允许的内容。</translation>
    </message>
    <message>
        <source>Answers can be wrong. Words go to %1.</source>
        <translation>回答可能有误。文字会发送到 %1。</translation>
    </message>
</context>
<context>
    <name>ConversationDelegate</name>
    <message>
        <source>Project %1</source>
        <translation>项目 %1</translation>
    </message>
    <message>
        <source>Chats: %1, folded</source>
        <translation>对话：%1，已折叠</translation>
    </message>
    <message>
        <source>Chats: %1</source>
        <translation>对话：%1</translation>
    </message>
    <message>
        <source>Is being answered. %1</source>
        <translation>正在回答。%1</translation>
    </message>
    <message>
        <source>Waits to be answered. %1</source>
        <translation>等待回答。%1</translation>
    </message>
    <message>
        <source>New title</source>
        <translation>新标题</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>Rename %1</source>
        <translation>重命名 %1</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Del</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>删除 %1</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>More for %1</source>
        <translation>%1 的更多操作</translation>
    </message>
</context>
<context>
    <name>ConversationSidebar</name>
    <message>
        <source>Hearth</source>
        <translation>Hearth</translation>
    </message>
    <message>
        <source>Hide the list of chats</source>
        <translation>隐藏对话列表</translation>
    </message>
    <message>
        <source>Ctrl+B</source>
        <translation>Ctrl+B</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Ctrl+N</source>
        <translation>Ctrl+N</translation>
    </message>
    <message>
        <source>New project</source>
        <translation>新项目</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>搜索所有对话</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Your chats will be kept here.</source>
        <translation>对话将保存在这里。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo the deletion</source>
        <translation>撤销删除</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭提示</translation>
    </message>
    <message>
        <source>Settings and help</source>
        <translation>设置与帮助</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Ctrl+J</source>
        <translation>Ctrl+J</translation>
    </message>
    <message>
        <source>Search the chats of %1</source>
        <translation>搜索 %1 的对话</translation>
    </message>
    <message>
        <source>Search all chats again</source>
        <translation>重新搜索所有对话</translation>
    </message>
</context>
<context>
    <name>ConversationStore</name>
    <message>
        <source>The file with your conversations was damaged. It was kept as %1.</source>
        <translation>保存对话的文件已损坏，已另存为 %1。</translation>
    </message>
    <message>
        <source>No chat in it could be read; a new file was started.</source>
        <translation>其中没有可读取的对话；已新建文件。</translation>
    </message>
    <message numerus="yes">
        <source>%n chats could be read and are in a new file.</source>
        <translation>
            <numerusform>已读出 %n 个对话，放在新文件中。</numerusform>
        </translation>
    </message>
    <message>
        <source>Other chats, or parts of these, are lost.</source>
        <translation>其他对话，或这些对话的一部分，已丢失。</translation>
    </message>
    <message>
        <source>The folder %1 cannot be written.</source>
        <translation>无法写入文件夹 %1。</translation>
    </message>
    <message>
        <source>Hearth is open in another window. This one shows your conversations and changes nothing; use the other one, or close both and start again.</source>
        <translation>Hearth 已在另一个窗口中打开。此窗口只显示对话，不作更改；请使用另一个窗口，或关闭两者后重新启动。</translation>
    </message>
    <message>
        <source>The file with your conversations, %1, is damaged and could not be moved.</source>
        <translation>保存对话的文件 %1 已损坏，且无法移动。</translation>
    </message>
    <message>
        <source>Your conversations were saved by a newer version of Hearth. You can read them here; to go on, install the newer version.</source>
        <translation>对话由较新版本的 Hearth 保存。在这里可以阅读；要继续，请安装较新版本。</translation>
    </message>
    <message>
        <source>The disk is full. Your conversations are here, but nothing can be added until there is some room.</source>
        <translation>磁盘已满。对话都在，但腾出空间之前无法添加内容。</translation>
    </message>
    <message>
        <source>The database of this system does not work.</source>
        <translation>此系统的数据库无法工作。</translation>
    </message>
    <message>
        <source>Messages you write now are lost when Hearth ends. Mend this, then start Hearth again.</source>
        <translation>现在写的消息会在 Hearth 退出时丢失。请先解决此问题，再重新启动 Hearth。</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>What happened last time</source>
        <translation>上次发生的情况</translation>
    </message>
    <message>
        <source>Hearth ended unexpectedly. This is the whole report; it has no word of your chats, and nothing was sent. If you send it to the makers of Hearth, it helps them to find the fault.</source>
        <translation>Hearth 意外退出。这是完整的报告；其中没有对话内容，也没有发送任何东西。把它发给 Hearth 的开发者，有助于找到问题。</translation>
    </message>
    <message>
        <source>The report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>It lies in %1</source>
        <translation>它位于 %1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete the report</source>
        <translation>删除报告</translation>
    </message>
</context>
<context>
    <name>Dialogs</name>
    <message>
        <source>Licences</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Attach a file</source>
        <translation>附加文件</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>附加</translation>
    </message>
    <message>
        <source>Export all chats into a folder</source>
        <translation>将所有对话导出到文件夹</translation>
    </message>
    <message>
        <source>Export the chat into a folder</source>
        <translation>将对话导出到文件夹</translation>
    </message>
    <message>
        <source>Export here</source>
        <translation>导出到此处</translation>
    </message>
    <message>
        <source>Import chats of Hearth, ChatGPT, LM Studio, Jan or GPT4All</source>
        <translation>导入 Hearth、ChatGPT、LM Studio、Jan 或 GPT4All 的对话</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>A folder for this project</source>
        <translation>此项目的文件夹</translation>
    </message>
    <message>
        <source>Use this folder</source>
        <translation>使用此文件夹</translation>
    </message>
    <message>
        <source>Add a file to this project</source>
        <translation>为此项目添加文件</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>A folder for the tools of this chat</source>
        <translation>供此对话的工具使用的文件夹</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>打开模型</translation>
    </message>
</context>
<context>
    <name>DiskTrouble</name>
    <message>
        <source>The disk is full. Make room on it, then go on; nothing is lost.</source>
        <translation>磁盘已满。请腾出空间后继续；没有丢失任何内容。</translation>
    </message>
    <message>
        <source>This disk cannot hold a file so large. Choose a folder on another one.</source>
        <translation>此磁盘无法存放这么大的文件。请选择另一块磁盘上的文件夹。</translation>
    </message>
    <message>
        <source>The folder cannot be written (%1). Choose another one, or allow this one to be written.</source>
        <translation>无法写入文件夹（%1）。请选择其他文件夹，或允许写入此文件夹。</translation>
    </message>
</context>
<context>
    <name>DocumentDialog</name>
    <message>
        <source>Text of %1</source>
        <translation>%1 的文本</translation>
    </message>
    <message>
        <source>Used for the answer: %1</source>
        <translation>用于回答：%1</translation>
    </message>
</context>
<context>
    <name>Documents</name>
    <message>
        <source>The text of %1 could not be kept: the disk is full, or its folder cannot be written.</source>
        <translation>无法保存 %1 的文本：磁盘已满，或其文件夹无法写入。</translation>
    </message>
    <message>
        <source>%1 cannot be opened: it is gone, or you may not read it.</source>
        <translation>无法打开 %1：文件已不存在，或没有读取权限。</translation>
    </message>
    <message>
        <source>%1 is not a file. Attach the files in it one by one.</source>
        <translation>%1 不是文件。请逐个附加其中的文件。</translation>
    </message>
    <message>
        <source>%1 is of a kind that Hearth does not read. It reads text, code, Markdown, PDF, docx and odt.</source>
        <translation>Hearth 不读取 %1 这种文件。它读取文本、代码、Markdown、PDF、docx 和 odt。</translation>
    </message>
    <message>
        <source>%1 is damaged: no text could be read from it.</source>
        <translation>%1 已损坏：无法从中读出文本。</translation>
    </message>
    <message>
        <source>%1 is protected by a password. Save a copy without one, and attach that.</source>
        <translation>%1 受密码保护。请另存一份无密码的副本，再附加该副本。</translation>
    </message>
    <message>
        <source>%1 has no text in it: it is empty, or its pages are pictures.</source>
        <translation>%1 中没有文本：文件为空，或其页面是图片。</translation>
    </message>
    <message>
        <source>%1 was not read: that took too much time or memory. It may be damaged.</source>
        <translation>%1 未能读取：耗费的时间或内存太多。文件可能已损坏。</translation>
    </message>
</context>
<context>
    <name>DownloadDelegate</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2. %3</source>
        <translation>%1：%2。%3</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Pause %1</source>
        <translation>暂停 %1</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo: go on with %1</source>
        <translation>撤销：继续 %1</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>Show its folder</source>
        <translation>显示其文件夹</translation>
    </message>
    <message>
        <source>Show the folder of %1</source>
        <translation>显示 %1 的文件夹</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>取消 %1</translation>
    </message>
    <message>
        <source>Take it off the list</source>
        <translation>从列表中移除</translation>
    </message>
    <message>
        <source>Take %1 off the list</source>
        <translation>将 %1 从列表中移除</translation>
    </message>
    <message>
        <source>%1 · licence: %2</source>
        <translation>%1 · 许可证：%2</translation>
    </message>
</context>
<context>
    <name>Downloads</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>tries again in %1 s</source>
        <translation>%1 秒后重试</translation>
    </message>
    <message>
        <source>tries again in %1 min</source>
        <translation>%1 分钟后重试</translation>
    </message>
    <message>
        <source>waits for its turn</source>
        <translation>排队等待</translation>
    </message>
    <message>
        <source>connecting</source>
        <translation>正在连接</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/秒</translation>
    </message>
    <message>
        <source>Checks the part on the disk: %1 %</source>
        <translation>正在校验磁盘上的部分：%1 %</translation>
    </message>
    <message>
        <source>Checks the whole file: %1 %</source>
        <translation>正在校验整个文件：%1 %</translation>
    </message>
    <message>
        <source>Looks for the damaged part: %1 %</source>
        <translation>正在查找损坏的部分：%1 %</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>checked by its SHA-256</source>
        <translation>已用 SHA-256 校验</translation>
    </message>
    <message>
        <source>not verified: its SHA-256 is not known</source>
        <translation>未校验：SHA-256 未知</translation>
    </message>
    <message>
        <source>Cancelled. The downloaded part will be deleted.</source>
        <translation>已取消。已下载的部分将被删除。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>There is no file to download.</source>
        <translation>没有可下载的文件。</translation>
    </message>
    <message>
        <source>Choose a folder for it.</source>
        <translation>请为它选择文件夹。</translation>
    </message>
    <message>
        <source>“%1” cannot be the name of a file.</source>
        <translation>“%1”不能用作文件名。</translation>
    </message>
    <message>
        <source>The address of %1 is not that of a web server.</source>
        <translation>%1 的地址不是网络服务器的地址。</translation>
    </message>
    <message>
        <source>What is said of %1 makes no sense.</source>
        <translation>关于 %1 的信息无效。</translation>
    </message>
    <message>
        <source>Two files of it have the same name: %1.</source>
        <translation>其中两个文件同名：%1。</translation>
    </message>
    <message>
        <source>The server&apos;s file has %1 bytes instead of %2. It is not the file you chose.</source>
        <translation>服务器上的文件有 %1 字节，而不是 %2 字节。它不是所选的文件。</translation>
    </message>
    <message>
        <source>The server&apos;s file has %1 instead of about %2. It is not the file you chose.</source>
        <translation>服务器上的文件大小为 %1，而不是约 %2。它不是所选的文件。</translation>
    </message>
    <message>
        <source>The server says that its file has another SHA-256 than was promised. It is not the file you chose.</source>
        <translation>服务器给出的文件 SHA-256 与预期不同。它不是所选的文件。</translation>
    </message>
    <message>
        <source>The server&apos;s file is no model, whatever it is called.</source>
        <translation>无论叫什么名字，服务器上的文件都不是模型。</translation>
    </message>
    <message>
        <source>The model on the server is cut off: its header ends in the middle.</source>
        <translation>服务器上的模型被截断：其文件头不完整。</translation>
    </message>
    <message>
        <source>The server&apos;s file does not say its architecture, which should be %1. It is not the file you chose.</source>
        <translation>服务器上的文件没有注明架构，本应为 %1。它不是所选的文件。</translation>
    </message>
    <message>
        <source>The server&apos;s file is a model of the architecture %1 instead of %2. It is not the file you chose.</source>
        <translation>服务器上的文件是 %1 架构的模型，而不是 %2。它不是所选的文件。</translation>
    </message>
    <message>
        <source>The list of downloads could not be read. It is kept as %1.</source>
        <translation>无法读取下载列表，已另存为 %1。</translation>
    </message>
    <message>
        <source>Part of the list of downloads made no sense and was left out.</source>
        <translation>下载列表中有一部分无效，已略过。</translation>
    </message>
    <message>
        <source>The list of downloads could not be kept (%1).</source>
        <translation>无法保存下载列表（%1）。</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>还剩 %1 秒</translation>
    </message>
    <message>
        <source>%1 min left</source>
        <translation>还剩 %1 分钟</translation>
    </message>
    <message>
        <source>%1 h %2 min left</source>
        <translation>还剩 %1 小时 %2 分钟</translation>
    </message>
    <message numerus="yes">
        <source>%n days left</source>
        <translation>
            <numerusform>还剩 %n 天</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DownloadsDialog</name>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Nothing is being downloaded. Your downloads appear here, and continue after an interruption.</source>
        <translation>没有正在进行的下载。下载会显示在这里，中断后可以继续。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message>
        <source>What would you like to talk about?</source>
        <translation>想聊些什么？</translation>
    </message>
    <message>
        <source>Hearth runs on your own computer. Ask something, or begin with one of these.</source>
        <translation>Hearth 在本机上运行。可以直接提问，或从下面选一个开始。</translation>
    </message>
    <message>
        <source>Who are you?</source>
        <translation>请介绍一下自己。</translation>
    </message>
    <message>
        <source>Tell me a short story.</source>
        <translation>讲一个小故事吧。</translation>
    </message>
    <message>
        <source>Why is the sky blue?</source>
        <translation>天空为什么是蓝色的？</translation>
    </message>
    <message>
        <source>What is the capital of France?</source>
        <translation>法国的首都是哪里？</translation>
    </message>
</context>
<context>
    <name>ErrorText</name>
    <message>
        <source>the file</source>
        <translation>该文件</translation>
    </message>
    <message>
        <source>There is no file %1. It may have been moved or deleted; choose another one.</source>
        <translation>没有文件 %1。它可能已被移动或删除；请选择其他文件。</translation>
    </message>
    <message>
        <source>%1 is a folder or a device, not a model. Choose a .gguf file.</source>
        <translation>%1 是文件夹或设备，不是模型。请选择 .gguf 文件。</translation>
    </message>
    <message>
        <source>%1 cannot be read: its permissions forbid it. Change them, or choose another file.</source>
        <translation>无法读取 %1：权限不足。请更改权限，或选择其他文件。</translation>
    </message>
    <message>
        <source>%1 could not be read to its end. Check the disk it lies on, then try again.</source>
        <translation>%1 无法完整读取。请检查它所在的磁盘，然后重试。</translation>
    </message>
    <message>
        <source>%1 could not be written. Check the folder&apos;s permissions.</source>
        <translation>无法写入 %1。请检查文件夹的权限。</translation>
    </message>
    <message>
        <source>The disk is full. Make some room on it, then try again.</source>
        <translation>磁盘已满。请腾出一些空间，然后重试。</translation>
    </message>
    <message>
        <source>%1 is not a whole GGUF model: it is damaged, cut off or something else. Download it again, or choose another file.</source>
        <translation>%1 不是完整的 GGUF 模型：文件已损坏、被截断或是其他内容。请重新下载，或选择其他文件。</translation>
    </message>
    <message>
        <source>%1 is no model to chat with: %2. Choose another one.</source>
        <translation>%1 不是可以对话的模型：%2。请选择其他模型。</translation>
    </message>
    <message>
        <source>%1 is a model this version cannot run yet (%2). Choose another one.</source>
        <translation>此版本还不能运行模型 %1（%2）。请选择其他模型。</translation>
    </message>
    <message>
        <source>There is not enough memory for this. Close other programs, or choose a smaller model.</source>
        <translation>内存不足。请关闭其他程序，或选择较小的模型。</translation>
    </message>
    <message>
        <source>This model needs more memory than there is (%1). Close other programs, or choose a smaller model.</source>
        <translation>此模型所需的内存超过现有内存（%1）。请关闭其他程序，或选择较小的模型。</translation>
    </message>
    <message>
        <source>This message is longer than the model can take in. Shorten it, or choose a model with a larger context.</source>
        <translation>此消息超出了模型能接收的长度。请缩短消息，或选择上下文更大的模型。</translation>
    </message>
    <message>
        <source>The graphics card stopped answering (%1).</source>
        <translation>显卡停止响应（%1）。</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>The mode “Predicted” needs predictors, and this model has none. Choose a file with predictors in the settings, or choose another mode.</source>
        <translation>“预测”模式需要预测器，而此模型没有。请在设置中选择预测器文件，或选择其他模式。</translation>
    </message>
    <message>
        <source>The mode “Predicted” must know the input of the model&apos;s predictors, and the file does not name it. Set it in the settings, or choose another mode.</source>
        <translation>“预测”模式需要知道模型预测器的输入，而文件没有注明。请在设置中指定，或选择其他模式。</translation>
    </message>
    <message>
        <source>The mode “Approximate” needs a file of thresholds for this model. Choose one in the settings, or another mode.</source>
        <translation>“近似”模式需要此模型的阈值文件。请在设置中选择一个，或选择其他模式。</translation>
    </message>
    <message>
        <source>This model cannot run in that mode: %1.</source>
        <translation>此模型不能在该模式下运行：%1。</translation>
    </message>
    <message>
        <source>The settings do not fit this model or this computer: %1.</source>
        <translation>设置不适合此模型或这台电脑：%1。</translation>
    </message>
    <message>
        <source>The engine made a mistake (%1). Load the model again; if it happens again, please report it with the log file.</source>
        <translation>引擎出错（%1）。请重新加载模型；如果再次发生，请附上日志文件报告。</translation>
    </message>
    <message>
        <source>That is too little memory for this model (%1). It keeps the memory that it had.</source>
        <translation>对此模型来说内存太少（%1）。它保留原有的内存。</translation>
    </message>
    <message>
        <source>The folder %1 does not exist or cannot be written. Check it, or choose another folder for downloads in the settings.</source>
        <translation>文件夹 %1 不存在或无法写入。请检查，或在设置中选择其他下载文件夹。</translation>
    </message>
    <message>
        <source>“%1” was changed, moved or deleted while it was copied, so the copy was removed. Try again when nothing changes the file.</source>
        <translation>复制期间“%1”被更改、移动或删除，因此副本已移除。请在文件不再变化时重试。</translation>
    </message>
    <message>
        <source>Another program is preparing this model already.</source>
        <translation>另一个程序已在准备此模型。</translation>
    </message>
    <message>
        <source>The disk returned other data than were written, so the copy was removed. The disk may be failing: save your files from it.</source>
        <translation>磁盘读回的数据与写入的不同，因此副本已移除。磁盘可能正在损坏：请备份其中的文件。</translation>
    </message>
    <message>
        <source>This model cannot be prepared: %1.</source>
        <translation>无法准备此模型：%1。</translation>
    </message>
</context>
<context>
    <name>ExpertShares</name>
    <message>
        <source>under 1 %</source>
        <translation>不到 1 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 graphics card</source>
        <translation>显卡 %1</translation>
    </message>
    <message>
        <source>%1 memory</source>
        <translation>内存 %1</translation>
    </message>
    <message>
        <source>%1 disk</source>
        <translation>磁盘 %1</translation>
    </message>
</context>
<context>
    <name>FilePicker</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>To the folder above</source>
        <translation>到上级文件夹</translation>
    </message>
    <message>
        <source>Backspace</source>
        <translation>Backspace</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Folders and models</source>
        <translation>文件夹和模型</translation>
    </message>
    <message>
        <source>Folders and files</source>
        <translation>文件夹和文件</translation>
    </message>
    <message>
        <source>%1, a folder</source>
        <translation>%1，文件夹</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>FirstModel</name>
    <message>
        <source>The model that was used last is not there any more: %1.</source>
        <translation>上次使用的模型已不存在：%1。</translation>
    </message>
    <message>
        <source>Open another one.</source>
        <translation>请打开其他模型。</translation>
    </message>
    <message>
        <source>The one that came with Hearth answers instead.</source>
        <translation>改由 Hearth 随附的模型回答。</translation>
    </message>
</context>
<context>
    <name>FitText</name>
    <message>
        <source>about %1 tokens/s</source>
        <translation>约 %1 词元/秒</translation>
    </message>
    <message>
        <source>%1 to %2 tokens/s</source>
        <translation>%1 到 %2 词元/秒</translation>
    </message>
    <message>
        <source>Streams from disk: %1 do not fit in memory</source>
        <translation>从磁盘流式读取：%1 放不进内存</translation>
    </message>
    <message>
        <source>Fits partly on the graphics card: %1 there, %2 in memory</source>
        <translation>部分放入显卡：显卡 %1，内存 %2</translation>
    </message>
    <message>
        <source>Fits: %1 on the graphics card</source>
        <translation>可以放下：显卡 %1</translation>
    </message>
    <message>
        <source>Fits: %1 of memory</source>
        <translation>可以放下：内存 %1</translation>
    </message>
    <message>
        <source>experts: %1</source>
        <translation>专家：%1</translation>
    </message>
    <message>
        <source>first word at once</source>
        <translation>立即出现第一个词</translation>
    </message>
    <message>
        <source>first word after %1 s</source>
        <translation>%1 秒后出现第一个词</translation>
    </message>
    <message>
        <source>perhaps faster: the computer was busy when this was measured</source>
        <translation>可能更快：测量时电脑正忙</translation>
    </message>
</context>
<context>
    <name>FolderScan</name>
    <message>
        <source>The folder “%1” is not there. Attach its disk, or take it off the list of folders.</source>
        <translation>文件夹“%1”不存在。请连接其磁盘，或将它从文件夹列表中移除。</translation>
    </message>
    <message>
        <source>“%1” is not a folder. Take it off the list of folders.</source>
        <translation>“%1”不是文件夹。请将它从文件夹列表中移除。</translation>
    </message>
    <message>
        <source>“%1” holds more than %2 files. Not all of them were looked at; name the folder inside it that has the models.</source>
        <translation>“%1”中有超过 %2 个文件，没有全部查看；请指定其中存放模型的文件夹。</translation>
    </message>
    <message>
        <source>The folder “%1” is nested too deep and was left out.</source>
        <translation>文件夹“%1”嵌套过深，已略过。</translation>
    </message>
    <message>
        <source>The folder “%1” cannot be read. Check its permissions.</source>
        <translation>无法读取文件夹“%1”。请检查其权限。</translation>
    </message>
    <message>
        <source>The folder “%1” could not be read to its end. Check the disk it lies on.</source>
        <translation>文件夹“%1”无法完整读取。请检查它所在的磁盘。</translation>
    </message>
</context>
<context>
    <name>FolderTools</name>
    <message>
        <source>There is no &quot;%1&quot; in the folder of this chat.</source>
        <translation>此对话的文件夹中没有“%1”。</translation>
    </message>
    <message>
        <source>The file is larger than 16 MiB, too large to be read here.</source>
        <translation>文件超过 16 MiB，太大，无法在此读取。</translation>
    </message>
    <message>
        <source>The file cannot be read: %1</source>
        <translation>无法读取文件：%1</translation>
    </message>
    <message>
        <source>The file is no text.</source>
        <translation>文件不是文本。</translation>
    </message>
    <message>
        <source>Line %1 is too long to be shown.</source>
        <translation>第 %1 行太长，无法显示。</translation>
    </message>
    <message>
        <source>[The file goes on at line %1.]</source>
        <translation>[文件从第 %1 行继续。]</translation>
    </message>
    <message>
        <source>[There is nothing here.]</source>
        <translation>[此处没有内容。]</translation>
    </message>
    <message>
        <source>%1 (%2 bytes)</source>
        <translation>%1（%2 字节）</translation>
    </message>
    <message>
        <source>[There are more.]</source>
        <translation>[还有更多。]</translation>
    </message>
    <message>
        <source>[The folder is empty.]</source>
        <translation>[文件夹为空。]</translation>
    </message>
    <message>
        <source>There is no text to search for.</source>
        <translation>没有要搜索的文本。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>[The search ended here; there may be more.]</source>
        <translation>[搜索到此结束；可能还有更多。]</translation>
    </message>
    <message>
        <source>[Nothing was found.]</source>
        <translation>[没有找到。]</translation>
    </message>
</context>
<context>
    <name>ForecastCard</name>
    <message>
        <source>Forecast</source>
        <translation>预估</translation>
    </message>
    <message>
        <source>No model is open.</source>
        <translation>没有打开的模型。</translation>
    </message>
    <message>
        <source>%1 with these settings</source>
        <translation>使用这些设置的 %1</translation>
    </message>
    <message>
        <source>Calculating…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Trying the graphics cards…</source>
        <translation>正在试用显卡…</translation>
    </message>
    <message>
        <source>Try the graphics cards again</source>
        <translation>重新试用显卡</translation>
    </message>
</context>
<context>
    <name>HubFileDelegate</name>
    <message>
        <source>Stop looking</source>
        <translation>停止查看</translation>
    </message>
    <message>
        <source>How would it run here?</source>
        <translation>在这里运行得如何？</translation>
    </message>
    <message>
        <source>Stop looking at %1</source>
        <translation>停止查看 %1</translation>
    </message>
    <message>
        <source>How would %1 run on this computer?</source>
        <translation>%1 在这台电脑上运行得如何？</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在这台电脑上</translation>
    </message>
    <message>
        <source>Among the downloads</source>
        <translation>已在下载中</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Download anyway</source>
        <translation>仍然下载</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1：%2，%3</translation>
    </message>
</context>
<context>
    <name>HubSearch</name>
    <message>
        <source>The hub&apos;s answer is too large. Try again later.</source>
        <translation>模型中心的答复太大。请稍后重试。</translation>
    </message>
    <message>
        <source>The hub&apos;s answer could not be read. Try again later; if a mirror is set, check its address in the settings.</source>
        <translation>无法读取模型中心的答复。请稍后重试；如果设置了镜像，请在设置中检查其地址。</translation>
    </message>
    <message>
        <source>The hub&apos;s answer is no list of models. Try again later; if a mirror is set, it may have no search.</source>
        <translation>模型中心的答复不是模型列表。请稍后重试；如果设置了镜像，它可能没有搜索功能。</translation>
    </message>
    <message>
        <source>The hub does not say which files %1 has. Try again later, or enter the address of a file.</source>
        <translation>模型中心没有给出 %1 的文件。请稍后重试，或输入文件的地址。</translation>
    </message>
</context>
<context>
    <name>HubSearchView</name>
    <message>
        <source>Search %1</source>
        <translation>搜索 %1</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Stop asking %1</source>
        <translation>停止询问 %1</translation>
    </message>
    <message>
        <source>Back to the results</source>
        <translation>返回结果</translation>
    </message>
    <message>
        <source>Its page, in the browser</source>
        <translation>在浏览器中打开其页面</translation>
    </message>
    <message>
        <source>Open %1 in the browser</source>
        <translation>在浏览器中打开 %1</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>正在询问 %1…</translation>
    </message>
    <message>
        <source>Back to Hearth&apos;s list</source>
        <translation>返回 Hearth 的列表</translation>
    </message>
</context>
<context>
    <name>InstructionsDialog</name>
    <message>
        <source>Instructions of this chat</source>
        <translation>此对话的指令</translation>
    </message>
    <message>
        <source>The model reads them before the new chat. Without any, those of the settings hold.</source>
        <translation>模型在新对话之前读取它们。如果没有，则采用设置中的指令。</translation>
    </message>
    <message>
        <source>The model reads them before the chat, from its next answer on.</source>
        <translation>从下一个回答起，模型在对话之前读取它们。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>LayerWords</name>
    <message>
        <source>under 0.1 %</source>
        <translation>不到 0.1 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 a second</source>
        <translation>每秒 %1</translation>
    </message>
    <message>
        <source>A token chooses %1 of its %2 experts</source>
        <translation>每个词元在 %2 个专家中选择 %1 个</translation>
    </message>
    <message>
        <source>%1; those of the answers lay: %2.</source>
        <translation>%1；回答所用的位于：%2。</translation>
    </message>
    <message>
        <source>It has no feed-forward neurons.</source>
        <translation>它没有前馈神经元。</translation>
    </message>
    <message>
        <source>Each token computes all of its %1 neurons.</source>
        <translation>每个词元计算其全部 %1 个神经元。</translation>
    </message>
    <message>
        <source>It has %1 neurons; no answer has been counted yet.</source>
        <translation>它有 %1 个神经元；尚未统计回答。</translation>
    </message>
    <message>
        <source>%1 of its %2 neurons fire for a token</source>
        <translation>每个词元激活其 %2 个神经元中的 %1</translation>
    </message>
    <message>
        <source>%1; all are computed, which is faster here.</source>
        <translation>%1；全部计算，这里这样更快。</translation>
    </message>
    <message>
        <source>Of the experts needed from the disk, memory already had %1.</source>
        <translation>需要从磁盘读取的专家中，%1 已在内存中。</translation>
    </message>
    <message>
        <source>Of the neurons needed from the disk, memory already had %1.</source>
        <translation>需要从磁盘读取的神经元中，%1 已在内存中。</translation>
    </message>
    <message>
        <source>, %1 now</source>
        <translation>，现在 %1</translation>
    </message>
    <message>
        <source>, %1 in the last answer</source>
        <translation>，上一个回答中 %1</translation>
    </message>
    <message>
        <source>Layer %1 of %2.</source>
        <translation>第 %1 层，共 %2 层。</translation>
    </message>
    <message>
        <source>Its weights, %1, lie: %2.</source>
        <translation>其权重 %1，位于：%2。</translation>
    </message>
    <message>
        <source>Read from the disk so far: %1%2.</source>
        <translation>至今从磁盘读取：%1%2。</translation>
    </message>
    <message>
        <source>%1 graphics card</source>
        <translation>显卡 %1</translation>
    </message>
    <message>
        <source>%1 memory</source>
        <translation>内存 %1</translation>
    </message>
    <message>
        <source>%1 disk</source>
        <translation>磁盘 %1</translation>
    </message>
    <message>
        <source>Weights of the layers: %1</source>
        <translation>各层的权重：%1</translation>
    </message>
    <message>
        <source>The engine holds %1 of at most %2 memory</source>
        <translation>引擎占用内存 %1，最多 %2</translation>
    </message>
    <message>
        <source>, %1 of at most %2 graphics memory</source>
        <translation>，显存 %1，最多 %2</translation>
    </message>
    <message>
        <source>; a new budget holds from the next token on</source>
        <translation>；新的预算从下一个词元起生效</translation>
    </message>
    <message>
        <source>Chosen experts: no answer has been counted yet</source>
        <translation>所选专家：尚未统计回答</translation>
    </message>
    <message>
        <source>Chosen experts lay: %1</source>
        <translation>所选专家位于：%1</translation>
    </message>
    <message>
        <source>Neurons that fire for a token: %1</source>
        <translation>每个词元激活的神经元：%1</translation>
    </message>
    <message>
        <source>Each token computes all neurons</source>
        <translation>每个词元计算全部神经元</translation>
    </message>
    <message>
        <source>Neurons that fire: no answer has been counted yet</source>
        <translation>激活的神经元：尚未统计回答</translation>
    </message>
    <message>
        <source>Needed from the disk, and already in memory: %1</source>
        <translation>需从磁盘读取且已在内存中：%1</translation>
    </message>
    <message>
        <source>Answers read nothing from the disk</source>
        <translation>回答不从磁盘读取</translation>
    </message>
    <message>
        <source>Read from the disk: %1%2</source>
        <translation>从磁盘读取：%1%2</translation>
    </message>
</context>
<context>
    <name>Licences</name>
    <message>
        <source>The licences cannot be read. Install Hearth again; they are in its file %1.</source>
        <translation>无法读取许可证。请重新安装 Hearth；它们在文件 %1 中。</translation>
    </message>
</context>
<context>
    <name>LinkDialog</name>
    <message>
        <source>Open this address?</source>
        <translation>打开此地址？</translation>
    </message>
    <message>
        <source>Your browser or mail program would open it. It leads to %1.</source>
        <translation>将由浏览器或邮件程序打开。它指向 %1。</translation>
    </message>
    <message>
        <source>No program on this computer opens it. You can copy it.</source>
        <translation>这台电脑上没有程序能打开它。可以复制该地址。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open the address</source>
        <translation>打开地址</translation>
    </message>
</context>
<context>
    <name>LongText</name>
    <message numerus="yes">
        <source>%1 characters, %Ln lines</source>
        <translation>
            <numerusform>%1 个字符，%Ln 行</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LongTextDialog</name>
    <message>
        <source>Copy all of it</source>
        <translation>全部复制</translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>Hearth</source>
        <translation>Hearth</translation>
    </message>
    <message>
        <source>%1 — Hearth</source>
        <translation>%1 — Hearth</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
    <message>
        <source>Load it again</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>MessageActions</name>
    <message>
        <source>Older version</source>
        <translation>较旧版本</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Version %1 of %2</source>
        <translation>版本 %1，共 %2 个</translation>
    </message>
    <message>
        <source>Newer version</source>
        <translation>较新版本</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>复制此消息</translation>
    </message>
    <message>
        <source>Copy this answer</source>
        <translation>复制此回答</translation>
    </message>
    <message>
        <source>Too long to edit here</source>
        <translation>太长，无法在此编辑</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Edit this message</source>
        <translation>编辑此消息</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>重新回答</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>More for this message</source>
        <translation>此消息的更多操作</translation>
    </message>
    <message>
        <source>More for this answer</source>
        <translation>此回答的更多操作</translation>
    </message>
</context>
<context>
    <name>MessageDelegate</name>
    <message>
        <source>You wrote</source>
        <translation>用户写道</translation>
    </message>
    <message>
        <source>Hearth is answering</source>
        <translation>Hearth 正在回答</translation>
    </message>
    <message>
        <source>Hearth will answer when the other chat is answered</source>
        <translation>另一个对话回答完后，Hearth 将回答</translation>
    </message>
    <message>
        <source>Hearth answered</source>
        <translation>Hearth 回答</translation>
    </message>
    <message>
        <source>Hearth</source>
        <translation>Hearth</translation>
    </message>
    <message>
        <source>Waiting until the other chat is answered…</source>
        <translation>等待另一个对话回答完…</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>正在思考…</translation>
    </message>
    <message>
        <source>Waiting for the model…</source>
        <translation>正在等待模型…</translation>
    </message>
    <message>
        <source>Show all: %1</source>
        <translation>显示全部：%1</translation>
    </message>
    <message>
        <source>Nothing is sent yet.</source>
        <translation>尚未发送任何内容。</translation>
    </message>
</context>
<context>
    <name>MessageEditor</name>
    <message>
        <source>Edit your message</source>
        <translation>编辑消息</translation>
    </message>
    <message>
        <source>Enter asks again, Escape leaves it as it was</source>
        <translation>Enter 重新提问，Esc 保持原样</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>重新提问</translation>
    </message>
</context>
<context>
    <name>MessageMenu</name>
    <message>
        <source>Copy as Markdown</source>
        <translation>复制为 Markdown</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
</context>
<context>
    <name>MessageStatus</name>
    <message>
        <source>The answer failed.</source>
        <translation>回答失败。</translation>
    </message>
    <message>
        <source>Hearth was closed before this answer was finished.</source>
        <translation>此回答完成之前 Hearth 已关闭。</translation>
    </message>
    <message>
        <source>You stopped this answer.</source>
        <translation>此回答已被停止。</translation>
    </message>
    <message>
        <source>This answer ended at the limit of tokens.</source>
        <translation>此回答因达到词元上限而结束。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Continue this answer</source>
        <translation>继续此回答</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>ModelBin</name>
    <message>
        <source>“%1” could not be moved to the bin of the system. It stays where it is.</source>
        <translation>无法将“%1”移到系统回收站。它留在原处。</translation>
    </message>
    <message>
        <source>“%1” is not there any more.</source>
        <translation>“%1”已不存在。</translation>
    </message>
    <message>
        <source>“%1” stays in the bin: another file has its name by now.</source>
        <translation>“%1”留在回收站中：已有另一个同名文件。</translation>
    </message>
    <message>
        <source>“%1” could not be brought back. It may have been removed from the bin.</source>
        <translation>无法恢复“%1”。它可能已从回收站中删除。</translation>
    </message>
</context>
<context>
    <name>ModelDelegate</name>
    <message>
        <source>open now</source>
        <translation>当前打开</translation>
    </message>
    <message>
        <source>Open now</source>
        <translation>立即打开</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>Hide details</source>
        <translation>隐藏详情</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Show %1 in its folder</source>
        <translation>在文件夹中显示 %1</translation>
    </message>
    <message>
        <source>Move to the bin</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Take it off the list</source>
        <translation>从列表中移除</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Del</translation>
    </message>
    <message>
        <source>Move %1 to the bin</source>
        <translation>将 %1 移到回收站</translation>
    </message>
    <message>
        <source>Take %1 off the list</source>
        <translation>将 %1 从列表中移除</translation>
    </message>
    <message>
        <source>Is this a ReLU model? The file does not say, and with the wrong choice the model writes nonsense.</source>
        <translation>这是 ReLU 模型吗？文件没有注明，选错时模型会胡言乱语。</translation>
    </message>
    <message>
        <source>Yes, ReLU</source>
        <translation>是，ReLU</translation>
    </message>
    <message>
        <source>%1 is a ReLU model</source>
        <translation>%1 是 ReLU 模型</translation>
    </message>
    <message>
        <source>No, an ordinary one</source>
        <translation>否，普通模型</translation>
    </message>
    <message>
        <source>%1 is an ordinary model</source>
        <translation>%1 是普通模型</translation>
    </message>
    <message>
        <source>What do the predictors of this model read? Their file does not say; its page may. It matters for the mode “Predicted” alone.</source>
        <translation>此模型的预测器读取什么？文件没有注明，模型页面上也许有。这只影响“预测”模式。</translation>
    </message>
    <message>
        <source>The residual stream, as PowerInfer’s do</source>
        <translation>残差流，与 PowerInfer 相同</translation>
    </message>
    <message>
        <source>The predictors of %1 read the residual stream</source>
        <translation>%1 的预测器读取残差流</translation>
    </message>
    <message>
        <source>The normed input</source>
        <translation>归一化后的输入</translation>
    </message>
    <message>
        <source>The predictors of %1 read the normed input</source>
        <translation>%1 的预测器读取归一化后的输入</translation>
    </message>
    <message>
        <source>Prepare for this computer…</source>
        <translation>为这台电脑准备…</translation>
    </message>
    <message>
        <source>Prepare %1 for this computer</source>
        <translation>为这台电脑准备 %1</translation>
    </message>
</context>
<context>
    <name>ModelFacts</name>
    <message>
        <source>This file holds a vocabulary and no weights. It cannot answer.</source>
        <translation>此文件只有词表，没有权重，不能回答。</translation>
    </message>
    <message>
        <source>This file is the part of another model that looks at pictures, which Hearth cannot use yet.</source>
        <translation>此文件是另一个模型中查看图片的部分，Hearth 还不能使用。</translation>
    </message>
    <message>
        <source>This file lists neurons for PowerInfer. Hearth works that out by itself and does not need it.</source>
        <translation>此文件为 PowerInfer 列出神经元。Hearth 自行计算，不需要它。</translation>
    </message>
    <message>
        <source>This file goes with a model, and is no model itself.</source>
        <translation>此文件是模型的附属文件，本身不是模型。</translation>
    </message>
    <message>
        <source>This file changes another model, which Hearth cannot do yet.</source>
        <translation>此文件用于修改另一个模型，Hearth 还不支持。</translation>
    </message>
    <message>
        <source>Hearth does not know this kind of file.</source>
        <translation>Hearth 不认识这种文件。</translation>
    </message>
    <message>
        <source>This version does not know how the model&apos;s tokenizer cuts text into words. It is taken for “%1”, and answers may suffer.</source>
        <translation>此版本不知道该模型的分词器如何切分文本，暂按“%1”处理，回答可能受影响。</translation>
    </message>
    <message>
        <source>This version cannot run it: %1.</source>
        <translation>此版本不能运行它：%1。</translation>
    </message>
    <message>
        <source>It does not chat here: this version cannot run its chat template.</source>
        <translation>在这里不能对话：此版本无法运行其对话模板。</translation>
    </message>
    <message>
        <source>It does not chat: it has no chat template and continues text.</source>
        <translation>它不能对话：没有对话模板，只会续写文本。</translation>
    </message>
</context>
<context>
    <name>ModelFolders</name>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Take off</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Take the folder %1 off the list</source>
        <translation>将文件夹 %1 从列表中移除</translation>
    </message>
    <message>
        <source>%1 has models in %2</source>
        <translation>%1 在 %2 中有模型</translation>
    </message>
    <message>
        <source>Show them</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Show the models of %1</source>
        <translation>显示 %1 的模型</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
</context>
<context>
    <name>ModelPacking</name>
    <message>
        <source>%1 could not be written (%2), so nothing was begun.</source>
        <translation>无法写入 %1（%2），因此没有开始。</translation>
    </message>
</context>
<context>
    <name>ModelPill</name>
    <message>
        <source>Opening %1</source>
        <translation>正在打开 %1</translation>
    </message>
    <message>
        <source>Model not opened</source>
        <translation>模型未打开</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>模型：%1</translation>
    </message>
    <message>
        <source>%1 percent</source>
        <translation>百分之 %1</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>All models…</source>
        <translation>所有模型…</translation>
    </message>
    <message>
        <source>Ctrl+M</source>
        <translation>Ctrl+M</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
    <message>
        <source>Ctrl+O</source>
        <translation>Ctrl+O</translation>
    </message>
    <message>
        <source>Neuron map</source>
        <translation>神经元图</translation>
    </message>
    <message>
        <source>Ctrl+Shift+M</source>
        <translation>Ctrl+Shift+M</translation>
    </message>
    <message>
        <source>Load it again</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>Words go to %1.</source>
        <translation>文字会发送到 %1。</translation>
    </message>
    <message>
        <source>Remote models…</source>
        <translation>远程模型…</translation>
    </message>
    <message>
        <source>not local</source>
        <translation>非本地</translation>
    </message>
</context>
<context>
    <name>ModelStrip</name>
    <message>
        <source>Opening %1</source>
        <translation>正在打开 %1</translation>
    </message>
    <message>
        <source>The model could not be opened</source>
        <translation>无法打开模型</translation>
    </message>
    <message>
        <source>No model is open</source>
        <translation>没有打开的模型</translation>
    </message>
    <message>
        <source>Open a GGUF file with a language model to start chatting.</source>
        <translation>打开包含语言模型的 GGUF 文件即可开始对话。</translation>
    </message>
    <message>
        <source>Open another model…</source>
        <translation>打开其他模型…</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>%1 billion parameters</source>
        <translation>%1 十亿参数</translation>
    </message>
    <message>
        <source>%1 million parameters</source>
        <translation>%1 百万参数</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 个参数</translation>
    </message>
    <message numerus="yes">
        <source>%n of its %1 parts are missing. Download it again.</source>
        <translation>
            <numerusform>它的 %1 个部分中缺少 %n 个。请重新下载。</numerusform>
        </translation>
    </message>
    <message>
        <source>experts of its answers: %1</source>
        <translation>回答所用的专家：%1</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>On the disk</source>
        <translation>磁盘占用</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 词元</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>%1 in a layer, %2 of them for each token</source>
        <translation>每层 %1 个，每个词元用 %2 个</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>Predictors</source>
        <translation>预测器</translation>
    </message>
    <message numerus="yes">
        <source>for %n layers</source>
        <translation>
            <numerusform>用于 %n 层</numerusform>
        </translation>
    </message>
    <message>
        <source>Packed</source>
        <translation>已打包</translation>
    </message>
    <message>
        <source>neuron by neuron, for reading from disk</source>
        <translation>逐个神经元，便于从磁盘读取</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>对话模板</translation>
    </message>
    <message>
        <source>in the file</source>
        <translation>在文件中</translation>
    </message>
    <message>
        <source>none: a general one is used</source>
        <translation>无：使用通用模板</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>the file does not say</source>
        <translation>文件未注明</translation>
    </message>
    <message>
        <source>Belongs to</source>
        <translation>属于</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
</context>
<context>
    <name>ModelsDialog</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Search the models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>No model matches these words.</source>
        <translation>没有与这些词匹配的模型。</translation>
    </message>
    <message>
        <source>No model was found yet. Add the folder with your models; Hearth uses them there and copies nothing.</source>
        <translation>尚未找到模型。请添加存放模型的文件夹；Hearth 直接使用其中的模型，不会复制。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>打开文件…</translation>
    </message>
    <message>
        <source>Get a model…</source>
        <translation>获取模型…</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新查找</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>添加存放模型的文件夹</translation>
    </message>
    <message>
        <source>Add this folder</source>
        <translation>添加此文件夹</translation>
    </message>
    <message>
        <source>Remote models…</source>
        <translation>远程模型…</translation>
    </message>
</context>
<context>
    <name>MoveMenu</name>
    <message>
        <source>No project</source>
        <translation>无项目</translation>
    </message>
    <message>
        <source>Move into %1</source>
        <translation>移到 %1</translation>
    </message>
    <message>
        <source>New project…</source>
        <translation>新项目…</translation>
    </message>
</context>
<context>
    <name>Network</name>
    <message>
        <source>Enter the whole address of a file, beginning with https://.</source>
        <translation>请输入文件的完整地址，以 https:// 开头。</translation>
    </message>
    <message>
        <source>An address that begins with http:// is asked on this computer alone (localhost): over a network others could change what comes unencrypted. Use https://.</source>
        <translation>以 http:// 开头的地址只允许用于本机（localhost）：在网络上，未加密的内容可能被他人篡改。请使用 https://。</translation>
    </message>
</context>
<context>
    <name>NetworkDialog</name>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Forbid all network requests</source>
        <translation>禁止所有网络请求</translation>
    </message>
    <message>
        <source>Forbid all network requests: nothing leaves this computer, and downloads are paused</source>
        <translation>禁止所有网络请求：没有内容离开这台电脑，下载暂停</translation>
    </message>
    <message>
        <source>No request was made since Hearth started.</source>
        <translation>Hearth 启动以来没有发出请求。</translation>
    </message>
    <message>
        <source>Since Hearth started, latest first:</source>
        <translation>Hearth 启动以来，最新的在前：</translation>
    </message>
    <message>
        <source>Your chats leave this computer for remote models that you choose and for what you allow tools. Hearth makes requests only for these, your searches and downloads, and lists each one here.</source>
        <translation>对话只会因所选的远程模型和允许工具做的事而离开本机。Hearth 仅为这些以及搜索和下载发出请求，并在此逐一列出。</translation>
    </message>
</context>
<context>
    <name>NeuronMapPanel</name>
    <message>
        <source>Neuron map</source>
        <translation>神经元图</translation>
    </message>
    <message>
        <source>Close the neuron map</source>
        <translation>关闭神经元图</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>graphics card</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>disk</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Chosen</source>
        <translation>所选</translation>
    </message>
    <message>
        <source>Fires</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>Layers of the model, %1: Up and Down choose one</source>
        <translation>模型的层，共 %1 层：用上下方向键选择</translation>
    </message>
    <message>
        <source>Chosen: where the experts lay that tokens chose.</source>
        <translation>所选：词元所选的专家所在的位置。</translation>
    </message>
    <message>
        <source>Fires: the share of a layer&apos;s neurons that a token uses.</source>
        <translation>激活：一个词元所用的神经元在该层中的比例。</translation>
    </message>
    <message>
        <source>Cached: of what lies on the disk and was needed, the share that memory already had. Disk: how fast it is read; the longest bar is the fastest.</source>
        <translation>缓存：所需的磁盘内容中已在内存里的比例。磁盘：读取速度，最长的条表示最快。</translation>
    </message>
</context>
<context>
    <name>OfferDelegate</name>
    <message>
        <source>On this computer</source>
        <translation>在这台电脑上</translation>
    </message>
    <message>
        <source>Among the downloads</source>
        <translation>已在下载中</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Download anyway</source>
        <translation>仍然下载</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1：%2，%3</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>How would it run here?</source>
        <translation>在这里运行得如何？</translation>
    </message>
    <message>
        <source>Stop looking at %1</source>
        <translation>停止查看 %1</translation>
    </message>
    <message>
        <source>How would %1 run on this computer?</source>
        <translation>%1 在这台电脑上运行得如何？</translation>
    </message>
    <message>
        <source>Asks the server for the first megabytes of the file.</source>
        <translation>向服务器请求文件开头的几兆字节。</translation>
    </message>
</context>
<context>
    <name>OfferForecast</name>
    <message>
        <source>Reading the beginning of the file, and planning with it…</source>
        <translation>正在读取文件开头并据此规划…</translation>
    </message>
</context>
<context>
    <name>OfferTraits</name>
    <message>
        <source>This version cannot run its architecture, %1.</source>
        <translation>此版本不能运行它的架构 %1。</translation>
    </message>
    <message>
        <source>This version cannot compute with its weights of the type %1.</source>
        <translation>此版本不能计算它的 %1 类型权重。</translation>
    </message>
    <message>
        <source>It was not made for chatting: it has no chat template and continues text.</source>
        <translation>它不是为对话制作的：没有对话模板，只会续写文本。</translation>
    </message>
    <message>
        <source>This version cannot run its chat template, that of %1.</source>
        <translation>此版本不能运行它的对话模板（%1 的模板）。</translation>
    </message>
</context>
<context>
    <name>OffersDialog</name>
    <message>
        <source>Get a model</source>
        <translation>获取模型</translation>
    </message>
    <message>
        <source>Downloads go to %1. Hearth makes no request before you press a button. A forecast fetches the first megabytes of a file.</source>
        <translation>下载保存到 %1。按下按钮之前 Hearth 不会发出请求。预估会获取文件开头的几兆字节。</translation>
    </message>
    <message>
        <source>Address of a .gguf file</source>
        <translation>.gguf 文件的地址</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Download from this address</source>
        <translation>从此地址下载</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>How would it run here?</source>
        <translation>在这里运行得如何？</translation>
    </message>
    <message>
        <source>Stop looking at this address</source>
        <translation>停止查看此地址</translation>
    </message>
    <message>
        <source>How would the model at this address run on this computer?</source>
        <translation>此地址的模型在这台电脑上运行得如何？</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在这台电脑上</translation>
    </message>
    <message>
        <source>Among the downloads</source>
        <translation>已在下载中</translation>
    </message>
    <message>
        <source>Download it</source>
        <translation>下载它</translation>
    </message>
    <message>
        <source>Download the model for this computer</source>
        <translation>下载适合这台电脑的模型</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
</context>
<context>
    <name>OllamaStore</name>
    <message>
        <source>Ollama&apos;s models in “%1” cannot be read. Check the permissions of the folder.</source>
        <translation>无法读取“%1”中的 Ollama 模型。请检查文件夹的权限。</translation>
    </message>
    <message>
        <source>Ollama&apos;s folder “%1” holds more than %2 models. The others are left out.</source>
        <translation>Ollama 的文件夹“%1”中有超过 %2 个模型。其余的已略过。</translation>
    </message>
    <message>
        <source>Ollama lists %1, whose file is gone. Ask Ollama for it again.</source>
        <translation>Ollama 列出了 %1，但其文件已不存在。请用 Ollama 重新获取。</translation>
    </message>
</context>
<context>
    <name>PackingCard</name>
    <message>
        <source>Preparing %1</source>
        <translation>正在准备 %1</translation>
    </message>
    <message>
        <source>Preparing %1 was interrupted, and a half-written copy lies on the disk.</source>
        <translation>准备 %1 时被中断，磁盘上留有写了一半的副本。</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Go on preparing %1</source>
        <translation>继续准备 %1</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>移除它</translation>
    </message>
    <message>
        <source>Remove the half-written copy of %1</source>
        <translation>移除 %1 写了一半的副本</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Show how far preparing %1 is</source>
        <translation>显示准备 %1 的进度</translation>
    </message>
</context>
<context>
    <name>PackingDialog</name>
    <message>
        <source>Prepare for this computer</source>
        <translation>为这台电脑准备</translation>
    </message>
    <message>
        <source>This model is larger than the memory that it may use, so Hearth reads parts of it from the disk while it answers. This writes a copy in which these parts lie together, which reads faster. Answers stay as good.</source>
        <translation>此模型大于它可用的内存，因此 Hearth 在回答时要从磁盘读取一部分。这里会写出一份副本，把这些部分放在一起，读取更快。回答质量不变。</translation>
    </message>
    <message>
        <source>Finding out the size and the time…</source>
        <translation>正在确定大小和时间…</translation>
    </message>
    <message>
        <source>The copy is ready, and in the list of models: %1</source>
        <translation>副本已就绪，并在模型列表中：%1</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>准备</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Go on in the background</source>
        <translation>在后台继续</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Stop and remove the copy</source>
        <translation>停止并移除副本</translation>
    </message>
</context>
<context>
    <name>PackingProgress</name>
    <message>
        <source>Preparing %1</source>
        <translation>正在准备 %1</translation>
    </message>
</context>
<context>
    <name>ProgressLine</name>
    <message>
        <source>%1: progress unknown</source>
        <translation>%1：进度未知</translation>
    </message>
    <message>
        <source>%1: %2 %</source>
        <translation>%1：%2 %</translation>
    </message>
</context>
<context>
    <name>ProjectDialog</name>
    <message>
        <source>New project</source>
        <translation>新项目</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Name of the project</source>
        <translation>项目名称</translation>
    </message>
    <message>
        <source>Chats of a project share instructions, a model, files and a folder.</source>
        <translation>同一项目的对话共享指令、模型、文件和文件夹。</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>The model reads them in every chat of the project, before those of the chat.</source>
        <translation>模型在项目的每个对话中读取它们，先于对话自身的指令。</translation>
    </message>
    <message>
        <source>Instructions of the project</source>
        <translation>项目的指令</translation>
    </message>
    <message>
        <source>Make the project</source>
        <translation>创建项目</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>The model that is loaded answers.</source>
        <translation>由已加载的模型回答。</translation>
    </message>
    <message>
        <source>Always use %1</source>
        <translation>始终使用 %1</translation>
    </message>
    <message>
        <source>Use the loaded model</source>
        <translation>使用已加载的模型</translation>
    </message>
    <message>
        <source>A temperature of its own</source>
        <translation>单独的温度</translation>
    </message>
    <message>
        <source>Temperature of the project</source>
        <translation>项目的温度</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Short ones go with the first question of a chat. Of long ones the passages go that fit the question.</source>
        <translation>短文件随对话的第一个问题发送。长文件只发送与问题相关的段落。</translation>
    </message>
    <message>
        <source>Add a file…</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Its files are searched for each question, and tools read in it alone. Links in it are not followed.</source>
        <translation>每次提问都会搜索其中的文件，工具也只在其中读取。不跟随其中的链接。</translation>
    </message>
    <message>
        <source>No folder.</source>
        <translation>无文件夹。</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>None</source>
        <translation>不使用</translation>
    </message>
    <message>
        <source>No folder for this project</source>
        <translation>此项目不使用文件夹</translation>
    </message>
    <message>
        <source>Ask again for all tools of this project (%1 allowed)</source>
        <translation>重新询问此项目的所有工具（已允许 %1 个）</translation>
    </message>
</context>
<context>
    <name>ProjectMenu</name>
    <message>
        <source>New chat in this project</source>
        <translation>在此项目中新建对话</translation>
    </message>
    <message>
        <source>Instructions, model and files…</source>
        <translation>指令、模型和文件…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Del</translation>
    </message>
    <message>
        <source>Search in this project</source>
        <translation>在此项目中搜索</translation>
    </message>
</context>
<context>
    <name>ProjectRemoval</name>
    <message>
        <source>Delete the project “%1”?</source>
        <translation>删除项目“%1”？</translation>
    </message>
    <message>
        <source>Its instructions and its list of files are deleted. The files themselves stay where they are.</source>
        <translation>它的指令和文件列表将被删除。文件本身留在原处。</translation>
    </message>
    <message numerus="yes">
        <source>Its %n chats can stay, or be deleted too; they can then be brought back for 30 days.</source>
        <translation>
            <numerusform>其中的 %n 个对话可以保留，也可以一并删除；删除后 30 天内可以恢复。</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete the project</source>
        <translation>删除项目</translation>
    </message>
    <message numerus="yes">
        <source>Delete it and keep the chats</source>
        <translation>
            <numerusform>删除项目，保留对话</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete it with its chats</source>
        <translation>
            <numerusform>连同对话一起删除</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>ReadingMark</name>
    <message>
        <source>The model reads from here on. What is above no longer fits into its context.</source>
        <translation>模型从这里开始读取。上面的内容已放不进其上下文。</translation>
    </message>
</context>
<context>
    <name>ReasoningPill</name>
    <message>
        <source>Reasoning: %1</source>
        <translation>思考：%1</translation>
    </message>
    <message>
        <source>Whether the model thinks before it answers</source>
        <translation>模型是否在回答前思考</translation>
    </message>
</context>
<context>
    <name>RemoteDialog</name>
    <message>
        <source>Remote models</source>
        <translation>远程模型</translation>
    </message>
    <message>
        <source>A model of another computer can answer in place of one on this computer: another Hearth, or any server that speaks OpenAI&apos;s API. The words of a chat then go there. Hearth asks before the first of them does, and says so wherever the model&apos;s name is shown. While it is chosen, no model is held in memory here.</source>
        <translation>可以由另一台计算机上的模型代替本机模型回答：另一个 Hearth，或任何支持 OpenAI API 的服务器。对话的文字会发送到那里。Hearth 会在首次发送前询问，并在显示模型名称的地方注明。选择远程模型期间，本机内存中不保留模型。</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>添加服务器</translation>
    </message>
</context>
<context>
    <name>RemoteModel</name>
    <message>
        <source>%1 · not local</source>
        <translation>%1 · 非本地</translation>
    </message>
</context>
<context>
    <name>RemoteServer</name>
    <message>
        <source>Enter the address of the server&apos;s API, as in https://example.org/v1.</source>
        <translation>请输入服务器 API 的地址，如 https://example.org/v1。</translation>
    </message>
    <message>
        <source>Words go over a network encrypted alone: the address must begin with https://. An address with http:// is for this computer (localhost).</source>
        <translation>文字只能加密后经网络发送：地址必须以 https:// 开头。以 http:// 开头的地址仅用于本机（localhost）。</translation>
    </message>
    <message>
        <source>This address answers, but not with a list of models: it is no API of the form that Hearth speaks.</source>
        <translation>此地址有响应，但不是模型列表：它不是 Hearth 支持的 API。</translation>
    </message>
    <message>
        <source>The server has no model now.</source>
        <translation>服务器目前没有模型。</translation>
    </message>
    <message>
        <source>%1 refuses the key.</source>
        <translation>%1 拒绝了密钥。</translation>
    </message>
    <message>
        <source>%1 asks for a key.</source>
        <translation>%1 要求提供密钥。</translation>
    </message>
    <message>
        <source>%1 has no such model, or no API at this address.</source>
        <translation>%1 没有该模型，或此地址没有 API。</translation>
    </message>
    <message>
        <source>%1 asks for a pause: too many requests, or none left.</source>
        <translation>%1 要求暂停：请求过多，或已无剩余次数。</translation>
    </message>
    <message>
        <source>%1 has an error (%2).</source>
        <translation>%1 出错（%2）。</translation>
    </message>
    <message>
        <source>%1 refuses this (%2).</source>
        <translation>%1 拒绝了此请求（%2）。</translation>
    </message>
    <message>
        <source>It says: “%1”</source>
        <translation>它的说明：“%1”</translation>
    </message>
</context>
<context>
    <name>RemoteServerCard</name>
    <message>
        <source>%1 · not local</source>
        <translation>%1 · 非本地</translation>
    </message>
    <message>
        <source>No key is shown to it.</source>
        <translation>不会向其出示密钥。</translation>
    </message>
    <message>
        <source>Its key is in this system&apos;s keychain.</source>
        <translation>其密钥保存在此系统的钥匙串中。</translation>
    </message>
    <message>
        <source>Its key is forgotten when Hearth ends: there is no keychain here that keeps it.</source>
        <translation>其密钥在 Hearth 退出后会被忘记：这里没有可保存它的钥匙串。</translation>
    </message>
    <message>
        <source>Asking for its models…</source>
        <translation>正在查询其模型…</translation>
    </message>
    <message>
        <source>Search the models of %1</source>
        <translation>搜索 %1 的模型</translation>
    </message>
    <message>
        <source>Search its models</source>
        <translation>搜索其模型</translation>
    </message>
    <message>
        <source>Models of %1</source>
        <translation>%1 的模型</translation>
    </message>
    <message>
        <source>Answers now</source>
        <translation>正在使用</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>%1 answers now</source>
        <translation>正在使用 %1</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>Send words to %1 without a question</source>
        <translation>不再询问，直接向 %1 发送文字</translation>
    </message>
    <message>
        <source>Show its models</source>
        <translation>显示其模型</translation>
    </message>
    <message>
        <source>Show the models of %1</source>
        <translation>显示 %1 的模型</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>更改 %1</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove %1 and its key</source>
        <translation>移除 %1 及其密钥</translation>
    </message>
</context>
<context>
    <name>RemoteServerForm</name>
    <message>
        <source>Address of the new server</source>
        <translation>新服务器的地址</translation>
    </message>
    <message>
        <source>Address of %1</source>
        <translation>%1 的地址</translation>
    </message>
    <message>
        <source>Address, as in https://example.org/v1</source>
        <translation>地址，如 https://example.org/v1</translation>
    </message>
    <message>
        <source>Key of the new server</source>
        <translation>新服务器的密钥</translation>
    </message>
    <message>
        <source>New key of %1</source>
        <translation>%1 的新密钥</translation>
    </message>
    <message>
        <source>Key, if the server asks for one</source>
        <translation>密钥（如果服务器要求）</translation>
    </message>
    <message>
        <source>New key; empty: it stays</source>
        <translation>新密钥；留空则不变</translation>
    </message>
    <message>
        <source>Name of the new server</source>
        <translation>新服务器的名称</translation>
    </message>
    <message>
        <source>Name of %1</source>
        <translation>%1 的名称</translation>
    </message>
    <message>
        <source>Name; empty: its host</source>
        <translation>名称；留空则用主机名</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Add the server</source>
        <translation>添加服务器</translation>
    </message>
    <message>
        <source>Save the server</source>
        <translation>保存服务器</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>RequestList</name>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>%1: %2. %3</source>
        <translation>%1：%2。%3</translation>
    </message>
    <message>
        <source>%1, %2: %3. %4</source>
        <translation>%1，%2：%3。%4</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>SearchHitDelegate</name>
    <message>
        <source>You wrote: %1</source>
        <translation>用户写道：%1</translation>
    </message>
    <message>
        <source>Hearth answered: %1</source>
        <translation>Hearth 回答：%1</translation>
    </message>
</context>
<context>
    <name>SearchHits</name>
    <message>
        <source>Messages found</source>
        <translation>找到的消息</translation>
    </message>
</context>
<context>
    <name>SearchIndex</name>
    <message>
        <source>Chats cannot be searched: their file cannot be read.</source>
        <translation>无法搜索对话：其文件无法读取。</translation>
    </message>
    <message>
        <source>Chats cannot be searched. %1</source>
        <translation>无法搜索对话。%1</translation>
    </message>
    <message>
        <source>Chats cannot be searched in this window.</source>
        <translation>此窗口中无法搜索对话。</translation>
    </message>
    <message>
        <source>Chats cannot be searched: the SQLite of this system has no full-text search (FTS5).</source>
        <translation>无法搜索对话：此系统的 SQLite 没有全文搜索（FTS5）。</translation>
    </message>
    <message>
        <source>Some chats are not found yet. %1</source>
        <translation>有些对话暂时搜索不到。%1</translation>
    </message>
</context>
<context>
    <name>SendQuestion</name>
    <message>
        <source>Send the words of this chat to %1?</source>
        <translation>将此对话的文字发送到 %1？</translation>
    </message>
    <message>
        <source>Send the words of another chat, which waits for its answer, to %1?</source>
        <translation>将另一个正在等待回答的对话的文字发送到 %1？</translation>
    </message>
    <message>
        <source>This model is not local. Questions, answers, instructions, texts of attached files and of the project&apos;s files, and what tools find go there. The answer holds until Hearth is closed.</source>
        <translation>此模型不在本地。问题、回答、指令、附件和项目文件的文本以及工具找到的内容都会发送到那里。此选择在 Hearth 关闭前有效。</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Always send to %1</source>
        <translation>始终发送到 %1</translation>
    </message>
    <message>
        <source>Send nothing</source>
        <translation>不发送</translation>
    </message>
    <message>
        <source>Always send</source>
        <translation>始终发送</translation>
    </message>
</context>
<context>
    <name>ServingCard</name>
    <message>
        <source>This window only reads your conversations. It answers no other program.</source>
        <translation>此窗口只能读取对话，不回答其他程序。</translation>
    </message>
    <message>
        <source>The local API starts…</source>
        <translation>本地 API 正在启动…</translation>
    </message>
    <message>
        <source>The local API is not running.</source>
        <translation>本地 API 未运行。</translation>
    </message>
    <message>
        <source>Programs of this computer can use the model now.</source>
        <translation>本机上的程序现在可以使用该模型。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Clients of OpenAI&apos;s API take it as their base URL. Clients of Anthropic&apos;s API take it without “/v1”.</source>
        <translation>OpenAI API 的客户端以此作为基础 URL；Anthropic API 的客户端则不带“/v1”。</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>访问令牌</translation>
    </message>
    <message>
        <source>The token is hidden</source>
        <translation>访问令牌已隐藏</translation>
    </message>
    <message>
        <source>Whoever knows it can use the model. %1</source>
        <translation>知道它的程序就能使用该模型。%1</translation>
    </message>
    <message>
        <source>Copy the token</source>
        <translation>复制访问令牌</translation>
    </message>
    <message>
        <source>Hide the token</source>
        <translation>隐藏访问令牌</translation>
    </message>
    <message>
        <source>Show the token</source>
        <translation>显示访问令牌</translation>
    </message>
    <message>
        <source>Make a new token</source>
        <translation>生成新的访问令牌</translation>
    </message>
    <message>
        <source>Latest requests</source>
        <translation>最近的请求</translation>
    </message>
    <message>
        <source>No program has asked so far.</source>
        <translation>还没有程序发出请求。</translation>
    </message>
    <message>
        <source>%1, %2: %3. %4</source>
        <translation>%1，%2：%3。%4</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>ServingMark</name>
    <message>
        <source>API</source>
        <translation>API</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>本地 API</translation>
    </message>
    <message>
        <source>Other programs of this computer can use the model at %1</source>
        <translation>本机上的其他程序可以通过 %1 使用该模型</translation>
    </message>
</context>
<context>
    <name>ServingStrip</name>
    <message>
        <source>%1. Your question waits.</source>
        <translation>%1。问题正在等待。</translation>
    </message>
    <message>
        <source>Stop it</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the answer to the other program</source>
        <translation>停止对其他程序的回答</translation>
    </message>
</context>
<context>
    <name>SettingRow</name>
    <message>
        <source> · only for this model</source>
        <translation> · 仅用于此模型</translation>
    </message>
    <message>
        <source>Reset “%1”</source>
        <translation>重置“%1”</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>Half</source>
        <translation>减半</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Dense</source>
        <translation>稠密</translation>
    </message>
    <message>
        <source>Approximate</source>
        <translation>近似</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>严谨</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>创意</translation>
    </message>
    <message>
        <source>Own values</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开</translation>
    </message>
    <message>
        <source>Brief</source>
        <translation>简短</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>中等</translation>
    </message>
    <message>
        <source>Thorough</source>
        <translation>深入</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Graphics card</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>Which card computes. Automatic takes the best one, if it is faster than the processor alone. Changing it loads the model anew.</source>
        <translation>由哪块显卡计算。“自动”会选用最好的显卡，前提是它比只用处理器快。更改后会重新加载模型。</translation>
    </message>
    <message>
        <source>Memory of the graphics card</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>The most the model may take of the card. More is faster; games and video then have less. Takes effect in the running chat.</source>
        <translation>模型最多可占用的显存。越多越快，但留给游戏和视频的就越少。在当前对话中立即生效。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>The most memory that the model may hold. The rest is read from the disk for each word, which is slower but leaves the computer usable. Takes effect in the running chat.</source>
        <translation>模型最多可占用的内存。其余部分在生成每个词时从磁盘读取，速度较慢，但电脑仍可正常使用。在当前对话中立即生效。</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>处理器线程</translation>
    </message>
    <message>
        <source>Threads that compute at once. More threads than fast cores seldom help, and other programs become slow. Changing it loads the model anew.</source>
        <translation>同时计算的线程数。线程多于高性能核心通常没有帮助，还会拖慢其他程序。更改后会重新加载模型。</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>How much of a conversation the model sees, in tokens: a token is most of a word. A larger one takes more memory. Changing it loads the model anew.</source>
        <translation>模型能看到多少对话内容，以词元计：一个词元大约是一个词的大部分。越大占用内存越多。更改后会重新加载模型。</translation>
    </message>
    <message>
        <source>Memory of a conversation</source>
        <translation>对话的记忆</translation>
    </message>
    <message>
        <source>How exactly the model keeps what it has read. Half as large, it leaves room for a longer context, and changes answers a little. Changing it loads the model anew.</source>
        <translation>模型以多高的精度保存读过的内容。减半可为更长的上下文留出空间，回答会略有变化。更改后会重新加载模型。</translation>
    </message>
    <message>
        <source>What is computed</source>
        <translation>计算范围</translation>
    </message>
    <message>
        <source>Automatic and exact give the model&apos;s own answers. Predicted and approximate leave more out: faster, with slightly other words, and only for models made for it. Dense leaves out nothing. Changing it loads the model anew.</source>
        <translation>“自动”和“精确”给出模型本来的回答。“预测”和“近似”省略更多计算：更快，措辞略有不同，且只适用于为此制作的模型。“稠密”不省略任何计算。更改后会重新加载模型。</translation>
    </message>
    <message>
        <source>Give way to other programs</source>
        <translation>为其他程序让出内存</translation>
    </message>
    <message>
        <source>Gives memory back while other programs wait for some. Answers are then slower, never different.</source>
        <translation>当其他程序等待内存时归还一部分。此时回答会变慢，但内容不变。</translation>
    </message>
    <message>
        <source>Learn from use</source>
        <translation>从使用中学习</translation>
    </message>
    <message>
        <source>Counts which parts of a model are used, so that it runs faster next time. Counts only; no word of a chat is kept by it.</source>
        <translation>统计模型的哪些部分被用到，以便下次运行更快。只保存计数，不保存对话中的任何文字。</translation>
    </message>
    <message>
        <source>Remember chats</source>
        <translation>记住对话</translation>
    </message>
    <message>
        <source>Keeps on disk what the model remembers of long chats, 2 GB at most, so that they go on at once after a restart. Deleting a chat deletes it. Off deletes all.</source>
        <translation>在磁盘上保存模型对长对话的记忆，最多 2 GB，以便重启后立即继续。删除对话时一并删除。关闭则全部删除。</translation>
    </message>
    <message>
        <source>Activation of this model</source>
        <translation>此模型的激活函数</translation>
    </message>
    <message>
        <source>The function in the model&apos;s neurons. Some files leave it open, and with the wrong one the model writes fluent nonsense. Leave it on automatic unless the model&apos;s page names one.</source>
        <translation>模型神经元中的函数。有些文件没有注明，用错时模型会流畅地胡言乱语。除非模型页面注明，否则请保持“自动”。</translation>
    </message>
    <message>
        <source>Predictors of this model</source>
        <translation>此模型的预测器</translation>
    </message>
    <message>
        <source>A file that predicts which parts of the model a word needs, for the mode “predicted”. Nothing: the predictors inside the model.</source>
        <translation>预测一个词需要模型哪些部分的文件，用于“预测”模式。留空：使用模型自带的预测器。</translation>
    </message>
    <message>
        <source>Input of its predictors</source>
        <translation>其预测器的输入</translation>
    </message>
    <message>
        <source>For files with predictors that leave it open. The model&apos;s page may name it.</source>
        <translation>用于没有注明输入的预测器文件。模型页面上也许有说明。</translation>
    </message>
    <message>
        <source>Thresholds of this model</source>
        <translation>此模型的阈值</translation>
    </message>
    <message>
        <source>A file with the limits below which values are left out, for the mode “approximate”.</source>
        <translation>低于其中界限的值会被省略的文件，用于“近似”模式。</translation>
    </message>
    <message>
        <source>Style</source>
        <translation>风格</translation>
    </message>
    <message>
        <source>Precise keeps to the likeliest words, creative strays further from them. Own values are those below.</source>
        <translation>“严谨”只用最可能的词，“创意”会偏离得更远。“自定义”使用下面的值。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Higher is more varied and more often wrong. 0 always takes the likeliest word.</source>
        <translation>越高越多变，也越容易出错。0 总是选最可能的词。</translation>
    </message>
    <message>
        <source>Likeliest words (top-k)</source>
        <translation>最可能的词（top-k）</translation>
    </message>
    <message>
        <source>The next word is chosen among so many likeliest words. 0: among all.</source>
        <translation>从这么多个最可能的词中选择下一个词。0：从全部词中选择。</translation>
    </message>
    <message>
        <source>Share of likelihood (top-p)</source>
        <translation>概率占比（top-p）</translation>
    </message>
    <message>
        <source>The next word is chosen among the likeliest words that together have this share. 1: among all.</source>
        <translation>从概率合计达到此占比的最可能的词中选择下一个词。1：从全部词中选择。</translation>
    </message>
    <message>
        <source>Least likelihood (min-p)</source>
        <translation>最低概率（min-p）</translation>
    </message>
    <message>
        <source>Words less likely than this share of the likeliest one are left out. 0: none.</source>
        <translation>概率低于最可能词的这一比例的词会被排除。0：不排除。</translation>
    </message>
    <message>
        <source>Against repetition</source>
        <translation>抑制重复</translation>
    </message>
    <message>
        <source>Above 1 the model repeats itself less. Much above 1.2 it avoids words that it needs.</source>
        <translation>大于 1 时模型重复更少。远大于 1.2 时会避开需要的词。</translation>
    </message>
    <message>
        <source>New words (presence penalty)</source>
        <translation>新词（presence penalty）</translation>
    </message>
    <message>
        <source>Above 0 the model prefers words that were not said yet.</source>
        <translation>大于 0 时模型偏好尚未出现的词。</translation>
    </message>
    <message>
        <source>Frequent words (frequency penalty)</source>
        <translation>常用词（frequency penalty）</translation>
    </message>
    <message>
        <source>Above 0 a word becomes less likely each time it is said.</source>
        <translation>大于 0 时，词每出现一次，可能性就降低一些。</translation>
    </message>
    <message>
        <source>Words looked back at</source>
        <translation>回看的词数</translation>
    </message>
    <message>
        <source>The three settings above count so many latest words, in tokens.</source>
        <translation>上面三项设置统计最近这么多个词，以词元计。</translation>
    </message>
    <message>
        <source>Repeated passages (DRY)</source>
        <translation>重复的段落（DRY）</translation>
    </message>
    <message>
        <source>Above 0 the model goes on less with passages that it wrote before; 0.8 is usual. 0: off.</source>
        <translation>大于 0 时，模型更少续写已写过的段落；常用 0.8。0：关闭。</translation>
    </message>
    <message>
        <source>Growth of DRY</source>
        <translation>DRY 的增长</translation>
    </message>
    <message>
        <source>DRY gets stronger by this factor with each further word of a repetition.</source>
        <translation>重复每多一个词，DRY 就按此倍数增强。</translation>
    </message>
    <message>
        <source>Repetition that DRY allows</source>
        <translation>DRY 允许的重复</translation>
    </message>
    <message>
        <source>Repetitions of fewer words, in tokens, are left alone.</source>
        <translation>短于此词数（以词元计）的重复不受影响。</translation>
    </message>
    <message>
        <source>Typical words (typical-p)</source>
        <translation>典型的词（typical-p）</translation>
    </message>
    <message>
        <source>The next word is chosen among those whose surprise is usual, until they have this share. 1: among all.</source>
        <translation>从意外程度正常的词中选择下一个词，直到合计达到此占比。1：从全部词中选择。</translation>
    </message>
    <message>
        <source>Unlikely turns (XTC)</source>
        <translation>意外的转折（XTC）</translation>
    </message>
    <message>
        <source>How often the likeliest words are left out, for more surprising text. 0: never.</source>
        <translation>多久排除一次最可能的词，让文字更出人意料。0：从不。</translation>
    </message>
    <message>
        <source>Likely words that XTC leaves out</source>
        <translation>XTC 排除的高概率词</translation>
    </message>
    <message>
        <source>Of the words above this share only the least likely one is kept.</source>
        <translation>高于此概率的词中只保留概率最低的一个。</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>最长回答</translation>
    </message>
    <message>
        <source>In tokens. Automatic lets the model end by itself.</source>
        <translation>以词元计。“自动”让模型自行结束。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>The same seed gives the same answer to the same question. 0: a new one each time.</source>
        <translation>相同的种子对相同的问题给出相同的回答。0：每次使用新的种子。</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>The model reads them before a new chat: for example how to answer. They take room in the context. A chat keeps the instructions that it began with.</source>
        <translation>模型在新对话之前读取它们，例如应如何回答。它们占用上下文空间。对话会一直沿用开始时的指令。</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Whether the model thinks before it answers, and how long. Each model knows some of these choices, or none.</source>
        <translation>模型是否在回答前思考，以及思考多久。每个模型支持其中一些选项，或都不支持。</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Of the window. The answers are in the language that you write, if the model knows it.</source>
        <translation>窗口的语言。回答使用提问时的语言，前提是模型懂这种语言。</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>“As the system” follows the light or dark colours of the system.</source>
        <translation>“跟随系统”采用系统的浅色或深色。</translation>
    </message>
    <message>
        <source>Size of the text</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>1 is the usual one. Ctrl and plus or minus change it anywhere.</source>
        <translation>1 为正常大小。随时可用 Ctrl 加“+”或“-”更改。</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>动画</translation>
    </message>
    <message>
        <source>Animates changes in the window. If the system asks for less motion, nothing moves.</source>
        <translation>为窗口中的变化添加动画。如果系统要求减少动画，则不显示。</translation>
    </message>
    <message>
        <source>Folders with models</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>Hearth searches these folders, and all folders in them, for models. Files stay where they are.</source>
        <translation>Hearth 在这些文件夹及其所有子文件夹中查找模型。文件留在原处。</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Where downloaded models go. Models are large: choose a disk with room. Nothing: beside your chats.</source>
        <translation>下载的模型存放的位置。模型很大，请选择空间充足的磁盘。留空：与对话放在一起。</translation>
    </message>
    <message>
        <source>Allow requests</source>
        <translation>允许请求</translation>
    </message>
    <message>
        <source>Mirror of the model hub</source>
        <translation>模型中心的镜像</translation>
    </message>
    <message>
        <source>Hearth downloads from this https:// address instead of the hub (http:// only on this computer). Its operator sees what you download.</source>
        <translation>Hearth 从此 https:// 地址而不是模型中心下载（http:// 仅限本机）。其运营者能看到下载的内容。</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>“system”, “none”, or an address such as http://host:3128 or socks5://host:1080. No name and password: this file lies open.</source>
        <translation>“system”、“none”，或类似 http://host:3128、socks5://host:1080 的地址。不要包含用户名和密码：此文件未加密。</translation>
    </message>
    <message>
        <source>Speed limit of downloads</source>
        <translation>下载限速</translation>
    </message>
    <message>
        <source>Bytes a second, such as 2M. “none” sets no limit.</source>
        <translation>每秒字节数，例如 2M。“none”表示不限速。</translation>
    </message>
    <message>
        <source>%1 is not %2</source>
        <translation>%1 不是 %2</translation>
    </message>
    <message>
        <source>%1 is no whole path, which begins at the root</source>
        <translation>%1 不是从根目录开始的完整路径</translation>
    </message>
    <message>
        <source>it is more than one path</source>
        <translation>不止一个路径</translation>
    </message>
    <message>
        <source>these are too many folders</source>
        <translation>文件夹太多</translation>
    </message>
    <message>
        <source>a name or password would lie open in the settings file, so none may be in it</source>
        <translation>用户名或密码会在设置文件中暴露，因此不能包含</translation>
    </message>
    <message>
        <source>it holds characters that are no text</source>
        <translation>含有非文本字符</translation>
    </message>
    <message>
        <source>it has %1 characters, and at most %2 may be</source>
        <translation>有 %1 个字符，最多允许 %2 个</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 到 %2</translation>
    </message>
    <message>
        <source>text of at most %1 characters</source>
        <translation>最多 %1 个字符的文本</translation>
    </message>
    <message>
        <source>a whole path</source>
        <translation>完整路径</translation>
    </message>
    <message>
        <source>whole paths</source>
        <translation>完整路径</translation>
    </message>
    <message>
        <source>an address that begins with https:// (with http:// only on this computer)</source>
        <translation>以 https:// 开头的地址（http:// 仅限本机）</translation>
    </message>
    <message>
        <source>%1 or %2</source>
        <translation>%1 或 %2</translation>
    </message>
    <message>
        <source>Model &amp; machine</source>
        <translation>模型与电脑</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>本地 API</translation>
    </message>
    <message>
        <source>Let other programs use the model</source>
        <translation>允许其他程序使用模型</translation>
    </message>
    <message>
        <source>Programs of this computer that know the token may ask the loaded model over HTTP, as OpenAI&apos;s and Anthropic&apos;s APIs do. Only this computer reaches it: it makes no request to elsewhere, and “Allow requests” of the network does not change it.</source>
        <translation>本机上知道访问令牌的程序可以像使用 OpenAI 和 Anthropic 的 API 那样，通过 HTTP 向已加载的模型提问。只有本机能够访问：它不会向外发出请求，网络设置中的“允许请求”对它没有影响。</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Part of the address. A change ends the connections that there are.</source>
        <translation>地址的一部分。更改后现有连接将断开。</translation>
    </message>
    <message>
        <source>Off: Hearth makes no request, downloads stop, and remote models do not answer. Chats leave this computer for a remote model that you choose, and for nothing else.</source>
        <translation>关闭：Hearth 不发出任何请求，下载停止，远程模型也不回答。对话只会因所选的远程模型而离开本机。</translation>
    </message>
</context>
<context>
    <name>SettingsMenu</name>
    <message>
        <source>Colours of the system</source>
        <translation>系统颜色</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Bring back the last deleted chat</source>
        <translation>恢复最近删除的对话</translation>
    </message>
    <message>
        <source>Ctrl+Z</source>
        <translation>Ctrl+Z</translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation>导入对话…</translation>
    </message>
    <message>
        <source>Export all chats…</source>
        <translation>导出所有对话…</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Ctrl+J</source>
        <translation>Ctrl+J</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Ctrl+,</source>
        <translation>Ctrl+,</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>About Hearth</source>
        <translation>关于 Hearth</translation>
    </message>
</context>
<context>
    <name>SettingsView</name>
    <message>
        <source>Back to the chat</source>
        <translation>返回对话</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Search the settings</source>
        <translation>搜索设置</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>分类</translation>
    </message>
    <message>
        <source>An answer is being written. The model is loaded anew when it is done.</source>
        <translation>正在生成回答。完成后会重新加载模型。</translation>
    </message>
    <message>
        <source>Load now</source>
        <translation>立即加载</translation>
    </message>
    <message>
        <source>Change it for %1 alone</source>
        <translation>仅为 %1 更改</translation>
    </message>
    <message>
        <source>Show every request</source>
        <translation>显示所有请求</translation>
    </message>
    <message>
        <source>No setting matches these words.</source>
        <translation>没有与这些词匹配的设置。</translation>
    </message>
    <message>
        <source>Hearth %1</source>
        <translation>Hearth %1</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>选择文件夹</translation>
    </message>
    <message>
        <source>Choose this folder</source>
        <translation>选择此文件夹</translation>
    </message>
    <message>
        <source>%1 runs at %2, so its memory and speed are not this computer&apos;s. Settings that do not reach it say so; they hold for models here.</source>
        <translation>%1 运行在 %2，因此其内存和速度与本机无关。对它无效的设置会注明，这些设置适用于本机模型。</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>发送消息</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>换行</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Shift+Enter</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>重新回答</translation>
    </message>
    <message>
        <source>Ctrl+R</source>
        <translation>Ctrl+R</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Ctrl+N</source>
        <translation>Ctrl+N</translation>
    </message>
    <message>
        <source>Earlier or later chat in the list</source>
        <translation>列表中的上一个或下一个对话</translation>
    </message>
    <message>
        <source>Ctrl+Page Up / Down</source>
        <translation>Ctrl+Page Up / Down</translation>
    </message>
    <message>
        <source>Rename the chat</source>
        <translation>重命名对话</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>Instructions of the chat</source>
        <translation>对话的指令</translation>
    </message>
    <message>
        <source>Ctrl+I</source>
        <translation>Ctrl+I</translation>
    </message>
    <message>
        <source>Menu of the chat chosen in the list</source>
        <translation>列表中所选对话的菜单</translation>
    </message>
    <message>
        <source>Menu or Shift+F10</source>
        <translation>菜单键或 Shift+F10</translation>
    </message>
    <message>
        <source>Delete the chat chosen in the list</source>
        <translation>删除列表中所选的对话</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Del</translation>
    </message>
    <message>
        <source>Bring back the chat deleted last</source>
        <translation>恢复最近删除的对话</translation>
    </message>
    <message>
        <source>Ctrl+Z</source>
        <translation>Ctrl+Z</translation>
    </message>
    <message>
        <source>Show or hide the list of chats</source>
        <translation>显示或隐藏对话列表</translation>
    </message>
    <message>
        <source>Ctrl+B</source>
        <translation>Ctrl+B</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>搜索所有对话</translation>
    </message>
    <message>
        <source>Ctrl+Shift+F</source>
        <translation>Ctrl+Shift+F</translation>
    </message>
    <message>
        <source>Go to the message field</source>
        <translation>转到消息输入框</translation>
    </message>
    <message>
        <source>Ctrl+L</source>
        <translation>Ctrl+L</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Ctrl+,</source>
        <translation>Ctrl+,</translation>
    </message>
    <message>
        <source>Choose a message, then Tab to its links and actions</source>
        <translation>选择消息，再用 Tab 到其链接和操作</translation>
    </message>
    <message>
        <source>Up / Down</source>
        <translation>↑ / ↓</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>Ctrl+O</source>
        <translation>Ctrl+O</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Ctrl+M</source>
        <translation>Ctrl+M</translation>
    </message>
    <message>
        <source>Neuron map</source>
        <translation>神经元图</translation>
    </message>
    <message>
        <source>Ctrl+Shift+M</source>
        <translation>Ctrl+Shift+M</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Ctrl+J</source>
        <translation>Ctrl+J</translation>
    </message>
    <message>
        <source>Larger, smaller, normal text</source>
        <translation>放大、缩小、恢复文字大小</translation>
    </message>
    <message>
        <source>Ctrl++ / Ctrl+− / Ctrl+0</source>
        <translation>Ctrl++ / Ctrl+− / Ctrl+0</translation>
    </message>
    <message>
        <source>This list</source>
        <translation>此列表</translation>
    </message>
    <message>
        <source>F1 or Ctrl+/</source>
        <translation>F1 或 Ctrl+/</translation>
    </message>
    <message>
        <source>About Hearth</source>
        <translation>关于 Hearth</translation>
    </message>
</context>
<context>
    <name>StoreError</name>
    <message>
        <source>The disk is full. Make some room on it, then try again.</source>
        <translation>磁盘已满。请腾出一些空间，然后重试。</translation>
    </message>
    <message>
        <source>The folder with your conversations cannot be written. Check its permissions, then try again.</source>
        <translation>无法写入保存对话的文件夹。请检查其权限，然后重试。</translation>
    </message>
    <message>
        <source>Another program is using the file with your conversations. Close it, then try again.</source>
        <translation>另一个程序正在使用保存对话的文件。请关闭该程序，然后重试。</translation>
    </message>
    <message>
        <source>The file with your conversations is damaged. Restart Hearth: it keeps the file and begins a new one.</source>
        <translation>保存对话的文件已损坏。请重新启动 Hearth：它会保留该文件并新建一个。</translation>
    </message>
    <message>
        <source>The disk reported an error. Check it, then try again.</source>
        <translation>磁盘报告错误。请检查磁盘，然后重试。</translation>
    </message>
</context>
<context>
    <name>TextRow</name>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
</context>
<context>
    <name>ThoughtFold</name>
    <message>
        <source>Thinking…</source>
        <translation>正在思考…</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Hide the reasoning</source>
        <translation>隐藏思考过程</translation>
    </message>
    <message>
        <source>Show the reasoning</source>
        <translation>显示思考过程</translation>
    </message>
    <message>
        <source>Hearth is thinking</source>
        <translation>Hearth 正在思考</translation>
    </message>
</context>
<context>
    <name>TitleBar</name>
    <message>
        <source>Show the list of chats</source>
        <translation>显示对话列表</translation>
    </message>
    <message>
        <source>Ctrl+B</source>
        <translation>Ctrl+B</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Ctrl+N</source>
        <translation>Ctrl+N</translation>
    </message>
    <message>
        <source>New chat in %1</source>
        <translation>在 %1 中新建对话</translation>
    </message>
    <message>
        <source>Neuron map</source>
        <translation>神经元图</translation>
    </message>
    <message>
        <source>Ctrl+Shift+M</source>
        <translation>Ctrl+Shift+M</translation>
    </message>
</context>
<context>
    <name>TokenLine</name>
    <message>
        <source>There is an access token for %1. %2</source>
        <translation>已有 %1 的访问令牌。%2</translation>
    </message>
    <message>
        <source>Some models of %1 ask for an access token, which you get on its pages.</source>
        <translation>%1 的某些模型需要访问令牌，可在其网站上获取。</translation>
    </message>
    <message>
        <source>Access token for %1</source>
        <translation>%1 的访问令牌</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>访问令牌</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Keep the access token</source>
        <translation>保存访问令牌</translation>
    </message>
    <message>
        <source>Forget the token</source>
        <translation>忘记令牌</translation>
    </message>
</context>
<context>
    <name>ToolCalls</name>
    <message>
        <source>waits for your answer</source>
        <translation>等待答复</translation>
    </message>
    <message>
        <source>is running</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>%1 · %2 · %3</source>
        <translation>%1 · %2 · %3</translation>
    </message>
    <message>
        <source>Hide the call: %1</source>
        <translation>隐藏调用：%1</translation>
    </message>
    <message>
        <source>Show the call: %1</source>
        <translation>显示调用：%1</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Show all of the result</source>
        <translation>显示全部结果</translation>
    </message>
    <message>
        <source>Result of %1</source>
        <translation>%1 的结果</translation>
    </message>
    <message>
        <source>Reasoning after it</source>
        <translation>其后的思考</translation>
    </message>
</context>
<context>
    <name>ToolConfig</name>
    <message>
        <source>Give the server a name of at most 100 characters.</source>
        <translation>请为服务器取一个不超过 100 个字符的名称。</translation>
    </message>
    <message>
        <source>There is a server of this name already.</source>
        <translation>已有同名的服务器。</translation>
    </message>
    <message>
        <source>There are %1 servers already, and no more can be added.</source>
        <translation>已有 %1 个服务器，不能再添加。</translation>
    </message>
    <message>
        <source>The command line is too long.</source>
        <translation>命令行太长。</translation>
    </message>
    <message>
        <source>Enter a command line, or an address that begins with https://.</source>
        <translation>请输入命令行，或以 https:// 开头的地址。</translation>
    </message>
    <message>
        <source>What you set about tools is not saved: %1</source>
        <translation>工具的设置没有保存：%1</translation>
    </message>
</context>
<context>
    <name>ToolLogList</name>
    <message>
        <source>Log of tools</source>
        <translation>工具日志</translation>
    </message>
    <message>
        <source>%1 · %2: %3</source>
        <translation>%1 · %2：%3</translation>
    </message>
</context>
<context>
    <name>ToolQuestion</name>
    <message>
        <source>The model wants to call “%1” of %2, with:</source>
        <translation>模型想调用 %2 的“%1”，参数为：</translation>
    </message>
    <message>
        <source>Allow once</source>
        <translation>允许一次</translation>
    </message>
    <message>
        <source>Always in this chat: %1</source>
        <translation>在此对话中始终允许：%1</translation>
    </message>
    <message>
        <source>Always in this project: %1</source>
        <translation>在此项目中始终允许：%1</translation>
    </message>
    <message>
        <source>Refuse</source>
        <translation>拒绝</translation>
    </message>
</context>
<context>
    <name>ToolServerDelegate</name>
    <message>
        <source>Server %1</source>
        <translation>服务器 %1</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove the server %1</source>
        <translation>移除服务器 %1</translation>
    </message>
    <message>
        <source>May use the network</source>
        <translation>可以使用网络</translation>
    </message>
    <message>
        <source>%1 may use the network</source>
        <translation>%1 可以使用网络</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Ready: %1. Tools: %2</source>
        <translation>就绪：%1。工具：%2</translation>
    </message>
    <message>
        <source>Start it again</source>
        <translation>重新启动</translation>
    </message>
    <message>
        <source>Start the server %1 again</source>
        <translation>重新启动服务器 %1</translation>
    </message>
</context>
<context>
    <name>ToolsDialog</name>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>A model may ask to call the tools that are on. Hearth shows you each call with its arguments and waits for your answer. Results can be wrong or meant to mislead.</source>
        <translation>模型可以请求调用已开启的工具。Hearth 会显示每次调用及其参数，并等待答复。结果可能有误，或意在误导。</translation>
    </message>
    <message>
        <source>Of Hearth</source>
        <translation>Hearth 自带</translation>
    </message>
    <message>
        <source>Calculate</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Tell the time</source>
        <translation>报告时间</translation>
    </message>
    <message>
        <source>List the chat&apos;s folder</source>
        <translation>列出对话文件夹</translation>
    </message>
    <message>
        <source>Read files of the chat&apos;s folder</source>
        <translation>读取对话文件夹中的文件</translation>
    </message>
    <message>
        <source>Search the chat&apos;s folder</source>
        <translation>搜索对话文件夹</translation>
    </message>
    <message>
        <source>Fetch a page of the web</source>
        <translation>获取网页</translation>
    </message>
    <message>
        <source>This chat</source>
        <translation>此对话</translation>
    </message>
    <message>
        <source>No folder: files cannot be read.</source>
        <translation>无文件夹：不能读取文件。</translation>
    </message>
    <message>
        <source>The project&apos;s folder: %1</source>
        <translation>项目的文件夹：%1</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>No folder for this chat</source>
        <translation>此对话不使用文件夹</translation>
    </message>
    <message>
        <source>Ask again for all tools of this chat (%1 allowed)</source>
        <translation>重新询问此对话的所有工具（已允许 %1 个）</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>A server is a program of somebody else that speaks the Model Context Protocol. It runs with your rights: it can read your files. Without the permission below it reaches no network.</source>
        <translation>服务器是他人编写的、使用 Model Context Protocol 的程序。它以当前用户的权限运行，可以读取用户的文件。没有下面的许可，它无法访问网络。</translation>
    </message>
    <message>
        <source>A server is a program of somebody else that speaks the Model Context Protocol. It runs with your rights: it can read your files. On this system Hearth cannot shut it out of the network, and starts it only if you allow the network.</source>
        <translation>服务器是他人编写的、使用 Model Context Protocol 的程序。它以当前用户的权限运行，可以读取用户的文件。在此系统上，Hearth 无法阻止它访问网络，只有在允许网络时才会启动它。</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Nothing was called since Hearth started.</source>
        <translation>Hearth 启动以来没有调用。</translation>
    </message>
</context>
<context>
    <name>ToolsPill</name>
    <message>
        <source>Tools: %1</source>
        <translation>工具：%1</translation>
    </message>
    <message>
        <source>Tools: %1, a folder</source>
        <translation>工具：%1，文件夹</translation>
    </message>
    <message>
        <source>Opens the page of tools</source>
        <translation>打开工具页面</translation>
    </message>
    <message>
        <source>The tools that the model may ask to call</source>
        <translation>模型可以请求调用的工具</translation>
    </message>
</context>
<context>
    <name>UsedPassages</name>
    <message>
        <source>Passages used:</source>
        <translation>使用的段落：</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ActiveModel</name>
    <message>
        <source>Only a file on this computer can be opened.</source>
        <translation>只能打开这台电脑上的文件。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::AppController</name>
    <message>
        <source>The report could not be deleted. It lies in %1.</source>
        <translation>无法删除报告。它位于 %1。</translation>
    </message>
    <message>
        <source>Downloaded</source>
        <translation>已下载</translation>
    </message>
    <message>
        <source>%1 is downloaded.</source>
        <translation>%1 已下载。</translation>
    </message>
    <message>
        <source>Prepared</source>
        <translation>已准备好</translation>
    </message>
    <message>
        <source>%1 is prepared: its copy is among the models.</source>
        <translation>%1 已准备好：副本在模型列表中。</translation>
    </message>
    <message>
        <source>%1 was not prepared. %2</source>
        <translation>%1 未能准备。%2</translation>
    </message>
    <message>
        <source>Preparing %1 was interrupted. On the models page you can continue it or delete the unfinished copy.</source>
        <translation>准备 %1 时被中断。可以在模型页面上继续，或删除未完成的副本。</translation>
    </message>
    <message>
        <source>Hearth ended unexpectedly last time. A report without any chat text was written, and nothing was sent. It lies in %1</source>
        <translation>Hearth 上次意外退出。已写入一份不含对话文字的报告，没有发送任何内容。它位于 %1</translation>
    </message>
    <message>
        <source>Version %1</source>
        <translation>版本 %1</translation>
    </message>
    <message>
        <source>Version %1, commit %2, with changes</source>
        <translation>版本 %1，提交 %2，有改动</translation>
    </message>
    <message>
        <source>Version %1, commit %2</source>
        <translation>版本 %1，提交 %2</translation>
    </message>
</context>
<context>
    <name>hearth::ui::AppSettings</name>
    <message>
        <source>The settings in %1 are not read: it is no file, or it is too large. Changes are not kept now.</source>
        <translation>未读取 %1 中的设置：它不是文件，或太大。现在的更改不会保存。</translation>
    </message>
    <message>
        <source>Parts of the settings in %1 cannot be read. A copy of the file as it was is kept as %2.</source>
        <translation>无法读取 %1 中的部分设置。原文件的副本保存为 %2。</translation>
    </message>
    <message>
        <source>The settings in %1 cannot be read. Check the permissions of the file.</source>
        <translation>无法读取 %1 中的设置。请检查文件的权限。</translation>
    </message>
    <message numerus="yes">
        <source>There are %n more.</source>
        <translation>
            <numerusform>还有 %n 个。</numerusform>
        </translation>
    </message>
    <message>
        <source>Some settings make no sense, so their defaults are used.</source>
        <translation>有些设置无效，因此使用默认值。</translation>
    </message>
    <message>
        <source>“%1” is not KEY=VALUE.</source>
        <translation>“%1”不是 键=值 的形式。</translation>
    </message>
    <message>
        <source>There is no setting “%1”.</source>
        <translation>没有名为“%1”的设置。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::Attachments</name>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>being read…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Not attached: a message takes %1 files at most.</source>
        <translation>未附加：一条消息最多附加 %1 个文件。</translation>
    </message>
    <message>
        <source>%1 was not attached.</source>
        <translation>%1 未附加。</translation>
    </message>
    <message>
        <source>%1 is still attached.</source>
        <translation>%1 仍然附加着。</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 词元</translation>
    </message>
    <message>
        <source>about %1 tokens</source>
        <translation>约 %1 词元</translation>
    </message>
    <message>
        <source>, only its beginning is read</source>
        <translation>，只读取开头</translation>
    </message>
    <message>
        <source>%1, too long to go in whole: its passages are searched</source>
        <translation>%1，太长，无法整体放入：将搜索其中的段落</translation>
    </message>
    <message>
        <source>whole</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>page %1</source>
        <translation>第 %1 页</translation>
    </message>
    <message>
        <source>passage %1</source>
        <translation>第 %1 段</translation>
    </message>
</context>
<context>
    <name>hearth::ui::BuiltInTools</name>
    <message>
        <source>There is no time zone &quot;%1&quot;.</source>
        <translation>没有时区“%1”。</translation>
    </message>
    <message>
        <source>Addresses of this computer and of its network are not fetched for a model.</source>
        <translation>不会为模型获取本机及其网络中的地址。</translation>
    </message>
    <message>
        <source>The user has chosen no folder for this chat.</source>
        <translation>用户没有为此对话选择文件夹。</translation>
    </message>
    <message>
        <source>There is no such tool.</source>
        <translation>没有这个工具。</translation>
    </message>
    <message>
        <source>A page that a model asked for</source>
        <translation>模型请求的页面</translation>
    </message>
    <message>
        <source>The address leads to no text.</source>
        <translation>该地址没有文本内容。</translation>
    </message>
    <message>
        <source>
[The page is longer. It ends here.]</source>
        <translation>
[页面更长，到此截断。]</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Hearth</source>
        <translation>Hearth</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ChatExchange</name>
    <message>
        <source>Another export or import is still under way.</source>
        <translation>另一个导出或导入仍在进行。</translation>
    </message>
    <message>
        <source>The chat could not be exported.</source>
        <translation>无法导出对话。</translation>
    </message>
    <message>
        <source>The chat is exported to %1.</source>
        <translation>对话已导出到 %1。</translation>
    </message>
    <message>
        <source>The chat could not be exported. %1</source>
        <translation>无法导出对话。%1</translation>
    </message>
    <message>
        <source>There is no chat to export.</source>
        <translation>没有可导出的对话。</translation>
    </message>
    <message numerus="yes">
        <source>%n chats are exported to %1.</source>
        <translation>
            <numerusform>已将 %n 个对话导出到 %1。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was not imported. %2</source>
        <translation>%1 未导入。%2</translation>
    </message>
    <message>
        <source>The chats were not imported.</source>
        <translation>对话未导入。</translation>
    </message>
    <message>
        <source>No chat was imported.</source>
        <translation>没有导入对话。</translation>
    </message>
    <message numerus="yes">
        <source>%n chats were imported, the others not.</source>
        <translation>
            <numerusform>已导入 %n 个对话，其余未导入。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chats are imported.</source>
        <translation>
            <numerusform>已导入 %n 个对话。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more could not be read.</source>
        <translation>
            <numerusform>另有 %n 个无法读取。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The texts of %n attached files are missing.</source>
        <translation>
            <numerusform>缺少 %n 个附件的文本。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::ChatSearch</name>
    <message>
        <source>Chats cannot be searched while their folder cannot be written.</source>
        <translation>对话文件夹无法写入时，不能搜索对话。</translation>
    </message>
    <message>
        <source>%1 % of the messages are searched so far.</source>
        <translation>目前已搜索 %1 % 的消息。</translation>
    </message>
    <message>
        <source>No message has these words.</source>
        <translation>没有消息包含这些词。</translation>
    </message>
    <message>
        <source>The latest %1. Type more to find earlier ones.</source>
        <translation>最新的 %1 条。输入更多文字可找到更早的消息。</translation>
    </message>
    <message>
        <source>No message of this project has these words.</source>
        <translation>此项目中没有包含这些词的消息。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ChatTools</name>
    <message>
        <source>The folder is not saved.</source>
        <translation>文件夹没有保存。</translation>
    </message>
    <message>
        <source>The permission is not saved: Hearth will ask again.</source>
        <translation>许可没有保存：Hearth 会再次询问。</translation>
    </message>
    <message>
        <source>The permissions could not be withdrawn.</source>
        <translation>无法撤回许可。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::Chats</name>
    <message>
        <source>The other version could not be shown.</source>
        <translation>无法显示另一个版本。</translation>
    </message>
    <message>
        <source>The conversation was not moved.</source>
        <translation>对话未移动。</translation>
    </message>
    <message>
        <source>The project was not deleted.</source>
        <translation>项目未删除。</translation>
    </message>
    <message>
        <source>Nothing can be changed here: another window is open, or the conversations are of a newer version of Hearth.</source>
        <translation>这里不能更改：另一个窗口已打开，或对话来自较新版本的 Hearth。</translation>
    </message>
    <message>
        <source>The conversation was not renamed.</source>
        <translation>对话未重命名。</translation>
    </message>
    <message>
        <source>The conversation was not pinned.</source>
        <translation>对话未置顶。</translation>
    </message>
    <message>
        <source>The instructions were not saved.</source>
        <translation>指令未保存。</translation>
    </message>
    <message>
        <source>The conversation was not deleted.</source>
        <translation>对话未删除。</translation>
    </message>
    <message numerus="yes">
        <source>Deleted: %n chats, the latest “%1”</source>
        <translation>
            <numerusform>已删除 %n 个对话，最近的是“%1”</numerusform>
        </translation>
    </message>
    <message>
        <source>The conversation was not brought back.</source>
        <translation>对话未恢复。</translation>
    </message>
    <message>
        <source>The change was not saved.</source>
        <translation>更改未保存。</translation>
    </message>
    <message>
        <source>Your message was not sent; it is still in the input field.</source>
        <translation>消息未发送；它仍在输入框中。</translation>
    </message>
    <message>
        <source>Your message was not sent.</source>
        <translation>消息未发送。</translation>
    </message>
    <message>
        <source>What you are writing is not saved yet.</source>
        <translation>正在写的内容尚未保存。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ConversationListModel</name>
    <message>
        <source>Pinned</source>
        <translation>已置顶</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>最近 7 天</translation>
    </message>
</context>
<context>
    <name>hearth::ui::DocumentPage</name>
    <message>
        <source>The text is being opened…</source>
        <translation>正在打开文本…</translation>
    </message>
    <message>
        <source>The text of this document is not there any more.</source>
        <translation>此文档的文本已不存在。</translation>
    </message>
    <message>
        <source>Page %1</source>
        <translation>第 %1 页</translation>
    </message>
</context>
<context>
    <name>hearth::ui::DoorReply</name>
    <message>
        <source>broken off</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>You have switched all network requests off.</source>
        <translation>已关闭所有网络请求。</translation>
    </message>
    <message>
        <source>This is no address of a web server; it should begin with https://.</source>
        <translation>这不是网络服务器的地址；应以 https:// 开头。</translation>
    </message>
    <message>
        <source>This system has no library for secure connections (OpenSSL 3).</source>
        <translation>此系统没有用于安全连接的库（OpenSSL 3）。</translation>
    </message>
    <message>
        <source>The server redirected the request to something that is no web address.</source>
        <translation>服务器将请求重定向到了无效的网址。</translation>
    </message>
    <message>
        <source>The server redirected the request to an address that is not secure (%1).</source>
        <translation>服务器将请求重定向到了不安全的地址（%1）。</translation>
    </message>
    <message>
        <source>The server redirected the request to another address.</source>
        <translation>服务器将请求重定向到了另一个地址。</translation>
    </message>
    <message>
        <source>The servers redirected the request too often.</source>
        <translation>服务器重定向请求的次数太多。</translation>
    </message>
    <message>
        <source>redirected to %1</source>
        <translation>重定向到 %1</translation>
    </message>
    <message>
        <source>%1 cannot be found. Is this computer connected to a network?</source>
        <translation>找不到 %1。这台电脑连接网络了吗？</translation>
    </message>
    <message>
        <source>The connection to %1 is not safe: %2. Nothing was fetched.</source>
        <translation>与 %1 的连接不安全：%2。没有获取任何内容。</translation>
    </message>
    <message>
        <source>The proxy refuses the connection. Check the proxy in the settings.</source>
        <translation>代理拒绝连接。请在设置中检查代理。</translation>
    </message>
    <message>
        <source>The connection to %1 was lost.</source>
        <translation>与 %1 的连接已断开。</translation>
    </message>
    <message>
        <source>not sent: switched off</source>
        <translation>未发送：已关闭</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
</context>
<context>
    <name>hearth::ui::DownloadQueue</name>
    <message>
        <source>Download of %1</source>
        <translation>下载 %1</translation>
    </message>
    <message>
        <source>It needs %1 more on the disk, and %2 are free. Make room, then go on.</source>
        <translation>磁盘上还需要 %1，可用空间为 %2。请腾出空间后继续。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::Downloads</name>
    <message>
        <source>Hearth is open in another window; download it there.</source>
        <translation>Hearth 已在另一个窗口中打开；请在那里下载。</translation>
    </message>
    <message>
        <source>%1 is among the downloads already.</source>
        <translation>%1 已在下载列表中。</translation>
    </message>
    <message>
        <source>There is a file named %1 in this folder already.</source>
        <translation>此文件夹中已有名为 %1 的文件。</translation>
    </message>
    <message numerus="yes">
        <source>%n downloads</source>
        <translation>
            <numerusform>%n 个下载</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · %2 %</source>
        <translation>%1 · %2 %</translation>
    </message>
</context>
<context>
    <name>hearth::ui::EngineStatus</name>
    <message>
        <source>context %1</source>
        <translation>上下文 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n threads</source>
        <translation>
            <numerusform>%n 个线程</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::FileDownload</name>
    <message>
        <source>The server sends the file compressed (%1), although Hearth asked for it uncompressed.</source>
        <translation>Hearth 要求不压缩，但服务器发送了压缩的文件（%1）。</translation>
    </message>
    <message>
        <source>The server answers with nothing (%1).</source>
        <translation>服务器的答复为空（%1）。</translation>
    </message>
    <message>
        <source>Hearth asked for the whole file, and the server sends only a part.</source>
        <translation>Hearth 请求整个文件，服务器只发送了一部分。</translation>
    </message>
    <message>
        <source>The server sends another part of the file than Hearth asked for.</source>
        <translation>服务器发送的不是 Hearth 请求的那部分文件。</translation>
    </message>
    <message>
        <source>The server says that this part of the file does not exist.</source>
        <translation>服务器称文件的这一部分不存在。</translation>
    </message>
    <message>
        <source>The download started over %1 times: the file on the server changes, or the connection breaks off and this server cannot go on where it was. Try again later.</source>
        <translation>下载已重新开始 %1 次：服务器上的文件在变化，或连接中断后服务器无法从断点继续。请稍后重试。</translation>
    </message>
    <message>
        <source>Nothing came from the server for %1 seconds.</source>
        <translation>服务器已 %1 秒没有发来数据。</translation>
    </message>
    <message>
        <source>There is a file named %1 already. Move it away, or choose another folder.</source>
        <translation>已有名为 %1 的文件。请将它移走，或选择其他文件夹。</translation>
    </message>
    <message>
        <source>The server stopped before the end of the file.</source>
        <translation>服务器在文件结束前停止发送。</translation>
    </message>
    <message>
        <source>%1 It was tried %2 times; try again later.</source>
        <translation>%1 已尝试 %2 次；请稍后重试。</translation>
    </message>
    <message>
        <source>The server&apos;s file is not the one that was promised: its SHA-256 differs. Nothing of it was kept.</source>
        <translation>服务器上的文件与预期不符：SHA-256 不同。没有保留任何内容。</translation>
    </message>
    <message>
        <source>There is a file named %1 already. Move it away, then try again.</source>
        <translation>已有名为 %1 的文件。请将它移走，然后重试。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::FolderView</name>
    <message>
        <source>This folder does not exist or cannot be read.</source>
        <translation>此文件夹不存在或无法读取。</translation>
    </message>
    <message>
        <source>Only %1 entries of this folder are shown. Type the rest of the path above.</source>
        <translation>只显示此文件夹的 %1 个条目。请在上面输入其余的路径。</translation>
    </message>
    <message>
        <source>There are no folders here.</source>
        <translation>这里没有文件夹。</translation>
    </message>
    <message>
        <source>There is nothing here.</source>
        <translation>这里没有内容。</translation>
    </message>
    <message>
        <source>There are no folders and no models (%1) here.</source>
        <translation>这里没有文件夹，也没有模型（%1）。</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>主文件夹</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>There is no file or folder at this path. Check how it is written.</source>
        <translation>此路径没有文件或文件夹。请检查写法。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::HeaderFetch</name>
    <message>
        <source>The header could not be written to %1: %2.</source>
        <translation>无法将文件头写入 %1：%2。</translation>
    </message>
    <message>
        <source>Header of %1</source>
        <translation>%1 的文件头</translation>
    </message>
    <message>
        <source>The server sends the whole file instead of its beginning, so there is no forecast before the download.</source>
        <translation>服务器发送整个文件而不只是开头，因此下载前无法预估。</translation>
    </message>
    <message>
        <source>The server does not say which part of the file it sends. Try again later, or download the model without a forecast.</source>
        <translation>服务器没有说明发送的是文件的哪一部分。请稍后重试，或不经预估直接下载模型。</translation>
    </message>
    <message>
        <source>The file changed on the server meanwhile. Try again.</source>
        <translation>服务器上的文件已发生变化。请重试。</translation>
    </message>
    <message>
        <source>The server gives an impossible size for the file: %1 bytes.</source>
        <translation>服务器给出的文件大小不可能：%1 字节。</translation>
    </message>
    <message>
        <source>The file on the server is no model, despite its name.</source>
        <translation>服务器上的文件虽有此名称，但不是模型。</translation>
    </message>
    <message>
        <source>The model on the server is cut off: its header ends in the middle.</source>
        <translation>服务器上的模型被截断：其文件头不完整。</translation>
    </message>
    <message>
        <source>The header of the model is larger than %1, which no model needs.</source>
        <translation>模型的文件头超过 %1，没有模型需要这么大。</translation>
    </message>
    <message>
        <source>Activation profile of %1</source>
        <translation>%1 的激活统计</translation>
    </message>
</context>
<context>
    <name>hearth::ui::HttpTransport</name>
    <message>
        <source>The server leaves too many requests without an answer.</source>
        <translation>服务器有太多请求没有答复。</translation>
    </message>
    <message>
        <source>A server of tools</source>
        <translation>工具服务器</translation>
    </message>
    <message>
        <source>The server sent a message that is too long.</source>
        <translation>服务器发送的消息太长。</translation>
    </message>
    <message>
        <source>The server has forgotten this session. Switch it off and on again.</source>
        <translation>服务器已忘记此会话。请关闭后重新开启。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::HubSearch</name>
    <message>
        <source>Some of its files are missing on the hub.</source>
        <translation>模型中心缺少它的一些文件。</translation>
    </message>
    <message>
        <source>The part of another model that looks at pictures; Hearth cannot use it.</source>
        <translation>另一个模型中查看图片的部分；Hearth 不能使用。</translation>
    </message>
    <message>
        <source>Notes about the making of other files, and no model.</source>
        <translation>制作其他文件时的记录，不是模型。</translation>
    </message>
    <message>
        <source>Hearth cannot run weights of the type %1 yet.</source>
        <translation>Hearth 还不能运行 %1 类型的权重。</translation>
    </message>
    <message>
        <source>licence: see its page</source>
        <translation>许可证：见其页面</translation>
    </message>
    <message>
        <source>licence: %1</source>
        <translation>许可证：%1</translation>
    </message>
    <message>
        <source>Search for models: %1</source>
        <translation>搜索模型：%1</translation>
    </message>
    <message>
        <source>No model with GGUF files was found for these words.</source>
        <translation>没有找到与这些词匹配的 GGUF 模型。</translation>
    </message>
    <message>
        <source>These are the %1 most downloaded. Add words to find fewer.</source>
        <translation>这些是下载最多的 %1 个。添加词语可缩小范围。</translation>
    </message>
    <message numerus="yes">
        <source>%n found.</source>
        <translation>
            <numerusform>找到 %n 个。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left out: the hub&apos;s data about them make no sense.</source>
        <translation>
            <numerusform>已略过 %n 个：模型中心关于它们的数据无效。</numerusform>
        </translation>
    </message>
    <message>
        <source>Files of %1</source>
        <translation>%1 的文件</translation>
    </message>
    <message>
        <source>It has no GGUF file that can be downloaded.</source>
        <translation>它没有可下载的 GGUF 文件。</translation>
    </message>
    <message numerus="yes">
        <source>%n of its files left out: the hub&apos;s data about them make no sense.</source>
        <translation>
            <numerusform>已略过它的 %n 个文件：模型中心关于它们的数据无效。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 downloads lately</source>
        <translation>近期下载 %1 次</translation>
    </message>
    <message>
        <source>only with a token</source>
        <translation>需要令牌</translation>
    </message>
    <message>
        <source>The hub names no licence; its page may.</source>
        <translation>模型中心没有注明许可证；其页面上也许有。</translation>
    </message>
    <message>
        <source>Licence: %1. Its page has the full text.</source>
        <translation>许可证：%1。全文见其页面。</translation>
    </message>
    <message>
        <source>Its makers ask you to accept its terms on that page first; your token shows that you did.</source>
        <translation>制作者要求先在该页面接受条款；访问令牌可证明已接受。</translation>
    </message>
    <message>
        <source>Its makers ask you to accept its terms on that page first, and to show who you are: enter your access token under “Network”.</source>
        <translation>制作者要求先在该页面接受条款并表明身份：请在“网络”中输入访问令牌。</translation>
    </message>
    <message>
        <source>size not known</source>
        <translation>大小未知</translation>
    </message>
    <message numerus="yes">
        <source>%n files</source>
        <translation>
            <numerusform>%n 个文件</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::Letters</name>
    <message>
        <source>Chinese, Japanese or Korean characters</source>
        <translation>中文、日文或韩文字符</translation>
    </message>
    <message>
        <source>emoji</source>
        <translation>表情符号</translation>
    </message>
    <message>
        <source>other characters</source>
        <translation>其他字符</translation>
    </message>
    <message>
        <source>No font on this computer has the %1 in this message.</source>
        <translation>这台电脑上没有字体能显示此消息中的%1。</translation>
    </message>
    <message>
        <source> and </source>
        <translation>和</translation>
    </message>
    <message>
        <source>%1 Install %2 to see them.</source>
        <translation>%1 请安装 %2 以显示它们。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::LocalPacking</name>
    <message>
        <source>No folder for the copy can be written. Choose a folder for downloads in the settings.</source>
        <translation>没有可写入副本的文件夹。请在设置中选择下载文件夹。</translation>
    </message>
    <message>
        <source>There is a file named “%1” already, in %2. It may be the prepared copy: use that one, or delete it first.</source>
        <translation>%2 中已有名为“%1”的文件。它可能就是准备好的副本：请使用它，或先将其删除。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::LocalServing</name>
    <message>
        <source>Port %1 is used by another program. Choose another port, or end that program.</source>
        <translation>端口 %1 正被其他程序使用。请选择其他端口，或关闭该程序。</translation>
    </message>
    <message>
        <source>The system does not let Hearth listen at port %1. Choose one above 1023.</source>
        <translation>系统不允许 Hearth 监听端口 %1。请选择大于 1023 的端口。</translation>
    </message>
    <message>
        <source>The local API could not start: %1.</source>
        <translation>本地 API 无法启动：%1。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::McpClient</name>
    <message>
        <source>The server did not answer in time.</source>
        <translation>服务器没有及时答复。</translation>
    </message>
    <message>
        <source>The tool did not answer in time.</source>
        <translation>工具没有及时答复。</translation>
    </message>
    <message>
        <source>The server is not ready.</source>
        <translation>服务器未就绪。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>The server floods Hearth with messages and was ended.</source>
        <translation>服务器向 Hearth 发送了大量消息，已被终止。</translation>
    </message>
    <message>
        <source>A message was left out: %1</source>
        <translation>略过了一条消息：%1</translation>
    </message>
    <message>
        <source>An answer to no question was left out.</source>
        <translation>略过了一个没有对应问题的答复。</translation>
    </message>
    <message>
        <source>The server refuses: %1</source>
        <translation>服务器拒绝：%1</translation>
    </message>
    <message>
        <source>
[The result is longer. It ends here.]</source>
        <translation>
[结果更长，到此截断。]</translation>
    </message>
    <message>
        <source>Hearth cannot speak with the server: %1</source>
        <translation>Hearth 无法与服务器通信：%1</translation>
    </message>
    <message>
        <source>The server has no tools.</source>
        <translation>服务器没有工具。</translation>
    </message>
    <message>
        <source>Tools that were left out: %1</source>
        <translation>略过的工具：%1</translation>
    </message>
</context>
<context>
    <name>hearth::ui::MessageListModel</name>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 词元/秒</translation>
    </message>
    <message>
        <source>first token %1 ms</source>
        <translation>首个词元 %1 毫秒</translation>
    </message>
    <message>
        <source>first token %1 s</source>
        <translation>首个词元 %1 秒</translation>
    </message>
    <message>
        <source>experts: %1</source>
        <translation>专家：%1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tokens</source>
        <translation>
            <numerusform>%Ln 个词元</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::ModelLibrary</name>
    <message>
        <source>%1 is open. Open another model first, then delete this one.</source>
        <translation>%1 正在使用。请先打开其他模型，再删除它。</translation>
    </message>
    <message>
        <source>%1 came with Hearth: its file stays, and it is only taken off this list.</source>
        <translation>%1 是 Hearth 随附的：文件会保留，只从此列表中移除。</translation>
    </message>
    <message>
        <source>%1 belongs to %2: its file stays, and it is only taken off this list. Delete it in %2.</source>
        <translation>%1 属于 %2：文件会保留，只从此列表中移除。请在 %2 中删除。</translation>
    </message>
    <message>
        <source>%1 is in the bin. Its space is free once the bin is emptied.</source>
        <translation>%1 已移到回收站。清空回收站后空间才会释放。</translation>
    </message>
    <message>
        <source>%1 is back in the list.</source>
        <translation>%1 已回到列表中。</translation>
    </message>
    <message>
        <source>%1 is back.</source>
        <translation>%1 已恢复。</translation>
    </message>
    <message>
        <source>The folder could not be shown. It is %1.</source>
        <translation>无法显示文件夹。它是 %1。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ModelOffers</name>
    <message>
        <source>It is not known beforehand whether its file has a chat template. “How would it run here?” looks.</source>
        <translation>事先不知道其文件是否有对话模板。“在这里运行得如何？”可以查看。</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>约 %1</translation>
    </message>
    <message>
        <source>sparse</source>
        <translation>稀疏</translation>
    </message>
    <message>
        <source>licence: see %1</source>
        <translation>许可证：见 %1</translation>
    </message>
    <message>
        <source>licence: %1</source>
        <translation>许可证：%1</translation>
    </message>
    <message>
        <source>cannot be verified: no SHA-256 is known</source>
        <translation>无法校验：没有已知的 SHA-256</translation>
    </message>
    <message>
        <source>For this computer: %1 (%2). The memory that this computer and %3 can spare holds it together, %4 and %5.</source>
        <translation>适合这台电脑：%1（%2）。这台电脑和 %3 可用的内存（%4 和 %5）合起来可以放下它。</translation>
    </message>
    <message>
        <source>For this computer: %1 (%2). It fits whole into the memory that %3 can spare, %4.</source>
        <translation>适合这台电脑：%1（%2）。它能完整放入 %3 可用的显存 %4。</translation>
    </message>
    <message>
        <source>For this computer: %1 (%2). It fits into the memory that this computer can spare, %3, and the processor answers with it.</source>
        <translation>适合这台电脑：%1（%2）。它能放入这台电脑可用的内存 %3，由处理器回答。</translation>
    </message>
    <message>
        <source>The address has to end with the name of a .gguf file.</source>
        <translation>地址必须以 .gguf 文件名结尾。</translation>
    </message>
    <message>
        <source>The address names a part of a model that cannot be: %1.</source>
        <translation>地址中的模型分卷不可能存在：%1。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ModelPacking</name>
    <message>
        <source>less than a minute</source>
        <translation>不到一分钟</translation>
    </message>
    <message numerus="yes">
        <source>about %n minutes</source>
        <translation>
            <numerusform>约 %n 分钟</numerusform>
        </translation>
    </message>
    <message>
        <source>Hearth is open in another window; prepare it there.</source>
        <translation>Hearth 已在另一个窗口中打开；请在那里准备。</translation>
    </message>
    <message>
        <source>The copy takes %1 on the disk. The original stays as it is.</source>
        <translation>副本占用磁盘 %1。原文件保持不变。</translation>
    </message>
    <message>
        <source>The copy takes %1 on the disk, which has %2 free. The original stays as it is.</source>
        <translation>副本占用磁盘 %1，磁盘可用空间为 %2。原文件保持不变。</translation>
    </message>
    <message>
        <source>It takes %1 on an SSD, and several times that on a hard disk. Hearth can be used meanwhile.</source>
        <translation>在固态硬盘上需要%1，在机械硬盘上要数倍时间。期间可以继续使用 Hearth。</translation>
    </message>
    <message>
        <source>The most used parts come first, as counted over %1 tokens of its answers here.</source>
        <translation>最常用的部分排在前面，依据此处回答的 %1 个词元统计。</translation>
    </message>
    <message>
        <source>The most used parts are not known yet. Let the model write a few answers first for a better copy.</source>
        <translation>尚不知道最常用的部分。先让模型写几个回答，副本会更好。</translation>
    </message>
    <message>
        <source>The copy will be saved as %1.</source>
        <translation>副本将保存为 %1。</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Beginning…</source>
        <translation>正在开始…</translation>
    </message>
    <message>
        <source>%1 of %2 written</source>
        <translation>已写入 %1 / %2</translation>
    </message>
    <message>
        <source>%1 of %2 checked</source>
        <translation>已校验 %1 / %2</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ModelServing</name>
    <message>
        <source>This system has no random numbers to make a token of.</source>
        <translation>此系统没有可用于生成访问令牌的随机数。</translation>
    </message>
    <message>
        <source>The local API is not running. %1</source>
        <translation>本地 API 未运行。%1</translation>
    </message>
    <message>
        <source>The token is in this system&apos;s keychain.</source>
        <translation>访问令牌保存在此系统的钥匙串中。</translation>
    </message>
    <message>
        <source>The token changes when Hearth ends: there is no keychain here that keeps it.</source>
        <translation>访问令牌在 Hearth 退出后会改变：这里没有可保存它的钥匙串。</translation>
    </message>
    <message>
        <source>No memory is left to keep conversations that take turns: they are read anew.</source>
        <translation>没有剩余内存来保留交替进行的对话：它们会被重新读取。</translation>
    </message>
    <message>
        <source>Kept in memory of conversations that take turns: %1 of at most %2.</source>
        <translation>内存中保留的交替对话：%1，最多 %2。</translation>
    </message>
    <message>
        <source>Answers another program: %1</source>
        <translation>正在回答其他程序：%1</translation>
    </message>
</context>
<context>
    <name>hearth::ui::NetworkDoor</name>
    <message>
        <source>You have switched all network requests off.</source>
        <translation>已关闭所有网络请求。</translation>
    </message>
    <message>
        <source>The server did not answer in time.</source>
        <translation>服务器没有及时答复。</translation>
    </message>
    <message>
        <source>The server sent more than the %1 that were expected.</source>
        <translation>服务器发送的内容超过预期的 %1。</translation>
    </message>
    <message>
        <source>The server asks for an access token. Enter yours, then try again.</source>
        <translation>服务器要求访问令牌。请输入令牌，然后重试。</translation>
    </message>
    <message>
        <source>The server denies you this. Its page may ask you to accept a licence first; afterwards, enter your access token here.</source>
        <translation>服务器拒绝访问。可能需要先在其页面上接受许可证，然后在此输入访问令牌。</translation>
    </message>
    <message>
        <source>The server has no such file; it may have been moved.</source>
        <translation>服务器上没有此文件；它可能已被移走。</translation>
    </message>
    <message>
        <source>The server has too many requests and asks for a pause.</source>
        <translation>服务器请求过多，要求暂停。</translation>
    </message>
    <message>
        <source>The server may not give this out, for legal reasons.</source>
        <translation>由于法律原因，服务器不能提供此内容。</translation>
    </message>
    <message>
        <source>The server has an error (%1). Try again later.</source>
        <translation>服务器出错（%1）。请稍后重试。</translation>
    </message>
    <message>
        <source>The server refuses this (%1).</source>
        <translation>服务器拒绝了此请求（%1）。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::NeuronMap</name>
    <message>
        <source>The model is being opened. Its layers are shown here as soon as it is ready.</source>
        <translation>正在打开模型。就绪后会在此显示它的各层。</translation>
    </message>
    <message>
        <source>The model could not be opened, so there are no layers to show.</source>
        <translation>无法打开模型，因此没有可显示的层。</translation>
    </message>
    <message>
        <source>The engine says nothing of this model&apos;s layers.</source>
        <translation>引擎没有提供此模型各层的信息。</translation>
    </message>
    <message>
        <source>The engine is counting. It has no time for it before the next words of the answer.</source>
        <translation>引擎正在统计。写出回答的下一些词之前没有空闲。</translation>
    </message>
    <message>
        <source>No model is open. Open one, and its layers are shown here.</source>
        <translation>没有打开的模型。打开后会在此显示它的各层。</translation>
    </message>
    <message>
        <source>This model is not local: it runs at %1, which says nothing of its layers.</source>
        <translation>此模型不在本地：它运行在 %1，那里不提供各层的信息。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::OfferCheck</name>
    <message>
        <source> · licence: %1</source>
        <translation> · 许可证：%1</translation>
    </message>
    <message>
        <source>Hearth could not measure this computer, so it cannot say whether the model fits.</source>
        <translation>Hearth 无法测量这台电脑，因此不能判断模型能否放下。</translation>
    </message>
    <message>
        <source>The server&apos;s file is a model of the architecture %1 instead of %2. It is not the file you chose.</source>
        <translation>服务器上的文件是 %1 架构的模型，而不是 %2。它不是所选的文件。</translation>
    </message>
    <message>
        <source> · faster if it is a ReLU model (its file does not say)</source>
        <translation> · 如果是 ReLU 模型会更快（文件未注明）</translation>
    </message>
</context>
<context>
    <name>hearth::ui::PackService</name>
    <message>
        <source>The copy needs %1, and the disk has %2 free. Make some room on it, or choose another folder for downloads in the settings.</source>
        <translation>副本需要 %1，磁盘可用空间为 %2。请腾出一些空间，或在设置中选择其他下载文件夹。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::PlaceCheck</name>
    <message>
        <source>“%1” is a file. Name the folder that it is in.</source>
        <translation>“%1”是文件。请指定它所在的文件夹。</translation>
    </message>
    <message>
        <source>“%1” is a folder. Name a file in it.</source>
        <translation>“%1”是文件夹。请指定其中的文件。</translation>
    </message>
    <message>
        <source>The folder “%1” is not there. Attach its disk, or take it off.</source>
        <translation>文件夹“%1”不存在。请连接其磁盘，或将它移除。</translation>
    </message>
    <message>
        <source>The folder “%1” is not there. If it is on a disk, attach it; else the next download makes the folder.</source>
        <translation>文件夹“%1”不存在。如果它在外接磁盘上，请连接；否则下次下载时会创建。</translation>
    </message>
    <message>
        <source>The file “%1” is not there. Attach its disk, or choose another.</source>
        <translation>文件“%1”不存在。请连接其磁盘，或选择其他文件。</translation>
    </message>
    <message>
        <source>The folder “%1” cannot be written. Choose another.</source>
        <translation>无法写入文件夹“%1”。请选择其他文件夹。</translation>
    </message>
    <message>
        <source>“%1” cannot be read. Change its permissions, or choose another.</source>
        <translation>无法读取“%1”。请更改其权限，或选择其他。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::PlanPreview</name>
    <message>
        <source>%1 on the graphics card</source>
        <translation>显卡上 %1</translation>
    </message>
    <message>
        <source>%1 in memory</source>
        <translation>内存中 %1</translation>
    </message>
    <message>
        <source>%1 stay on the disk</source>
        <translation>磁盘上保留 %1</translation>
    </message>
    <message>
        <source>How fast is not known</source>
        <translation>速度未知</translation>
    </message>
    <message>
        <source>%1 to %2 tokens/s</source>
        <translation>%1 到 %2 词元/秒</translation>
    </message>
    <message>
        <source>%1, or faster: the computer was busy</source>
        <translation>%1，或更快：测量时电脑正忙</translation>
    </message>
    <message>
        <source>Other programs are left with hardly any memory.</source>
        <translation>几乎没有给其他程序留下内存。</translation>
    </message>
    <message>
        <source>%1 of %2 memory stay free for other programs.</source>
        <translation>%2 内存中有 %1 留给其他程序。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ProjectFiles</name>
    <message>
        <source>being read…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Not added: a project takes %1 files at most.</source>
        <translation>未添加：一个项目最多 %1 个文件。</translation>
    </message>
    <message>
        <source>%1 was not added.</source>
        <translation>%1 未添加。</translation>
    </message>
    <message>
        <source>The file is still in the project.</source>
        <translation>文件仍在项目中。</translation>
    </message>
    <message>
        <source>Being read: %1 of %2 new files.</source>
        <translation>正在读取：%1 / %2 个新文件。</translation>
    </message>
    <message>
        <source>The folder is being looked at.</source>
        <translation>正在查看文件夹。</translation>
    </message>
    <message>
        <source>The folder is looked at before the next question.</source>
        <translation>下次提问前会查看文件夹。</translation>
    </message>
    <message>
        <source>The folder is not there any more, or cannot be read.</source>
        <translation>文件夹已不存在，或无法读取。</translation>
    </message>
    <message numerus="yes">
        <source>%n files are searched.</source>
        <translation>
            <numerusform>搜索 %n 个文件。</numerusform>
        </translation>
    </message>
    <message>
        <source>The folder holds more than Hearth looks at: the rest is left out.</source>
        <translation>文件夹中的内容超过 Hearth 查看的范围：其余略过。</translation>
    </message>
    <message>
        <source>Files above 32 MiB are left out: %1.</source>
        <translation>略过超过 32 MiB 的文件：%1 个。</translation>
    </message>
    <message>
        <source>Files that cannot be read: %1.</source>
        <translation>无法读取的文件：%1 个。</translation>
    </message>
    <message>
        <source>Folders that cannot be read: %1.</source>
        <translation>无法读取的文件夹：%1 个。</translation>
    </message>
    <message>
        <source>The files of the project could not be noted.</source>
        <translation>无法记录项目的文件。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::Projects</name>
    <message>
        <source>The project was not made.</source>
        <translation>项目未创建。</translation>
    </message>
    <message>
        <source>The project was not changed.</source>
        <translation>项目未更改。</translation>
    </message>
    <message>
        <source>%1 is no folder that can be read.</source>
        <translation>%1 不是可读取的文件夹。</translation>
    </message>
    <message>
        <source>The permissions could not be withdrawn.</source>
        <translation>无法撤回许可。</translation>
    </message>
    <message>
        <source>The model of the project “%1” is not there any more: %2. Another one answers.</source>
        <translation>项目“%1”的模型已不存在：%2。由其他模型回答。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::RemoteInference</name>
    <message>
        <source>The server of this model is no longer in the list of remote models. Add it again, or open another model.</source>
        <translation>此模型的服务器已不在远程模型列表中。请重新添加，或打开其他模型。</translation>
    </message>
    <message>
        <source>The server of this model is no longer in the list of remote models. Choose another model, then ask again.</source>
        <translation>此模型的服务器已不在远程模型列表中。请选择其他模型后再次提问。</translation>
    </message>
    <message>
        <source>A model that is not local cannot go on from the text of an answer. Ask for another answer.</source>
        <translation>非本地模型无法从已有回答继续。请重新生成回答。</translation>
    </message>
    <message>
        <source>Nothing was sent to %1.</source>
        <translation>没有向 %1 发送任何内容。</translation>
    </message>
    <message>
        <source>The server was changed meanwhile. Nothing was sent.</source>
        <translation>服务器在此期间已被更改。没有发送任何内容。</translation>
    </message>
    <message>
        <source>Answer by %1</source>
        <translation>%1 的回答</translation>
    </message>
    <message>
        <source>%1 Allow them in the settings, under Network, then ask again.</source>
        <translation>%1 请在设置的“网络”中允许请求，然后再次提问。</translation>
    </message>
    <message>
        <source>The connection ended before the answer was complete. %1</source>
        <translation>回答尚未完成，连接就已断开。%1</translation>
    </message>
    <message>
        <source>%1 has sent nothing for a long time, so Hearth ended the connection.</source>
        <translation>%1 长时间没有发送任何内容，Hearth 已断开连接。</translation>
    </message>
    <message>
        <source>%1 does not answer. Is it running, and is this computer connected to it?</source>
        <translation>%1 没有响应。它是否在运行，本机是否与其连通？</translation>
    </message>
    <message>
        <source>%1 says: “%2”</source>
        <translation>%1 的说明：“%2”</translation>
    </message>
</context>
<context>
    <name>hearth::ui::RemoteServers</name>
    <message>
        <source>Give the server a name of at most %1 characters.</source>
        <translation>请为服务器取一个不超过 %1 个字符的名称。</translation>
    </message>
    <message>
        <source>There is a server of this name or address already.</source>
        <translation>已有同名或同地址的服务器。</translation>
    </message>
    <message>
        <source>There are %1 servers already, and no more can be added.</source>
        <translation>已有 %1 个服务器，无法再添加。</translation>
    </message>
    <message>
        <source>This server is no longer in the list.</source>
        <translation>此服务器已不在列表中。</translation>
    </message>
    <message>
        <source>Models of %1</source>
        <translation>%1 的模型</translation>
    </message>
    <message>
        <source>%1 Allow them in the settings, under Network.</source>
        <translation>%1 请在设置的“网络”中允许请求。</translation>
    </message>
    <message>
        <source>%1 sends Hearth on to %2. Enter the address where the API really is.</source>
        <translation>%1 将 Hearth 转到了 %2。请输入 API 实际所在的地址。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::Replies</name>
    <message>
        <source>Something changed while this was written (%1). The answer is complete.</source>
        <translation>生成期间发生了变化（%1）。回答是完整的。</translation>
    </message>
    <message numerus="yes">
        <source>The first %n messages no longer fit into the model&apos;s context (%1 tokens). The model has not seen them; they are still here.</source>
        <translation>
            <numerusform>最前面的 %n 条消息已放不进模型的上下文（%1 词元）。模型没有看到它们；它们仍在这里。</numerusform>
        </translation>
    </message>
    <message>
        <source>The answer ends here because the settings allow no more than %1 tokens.</source>
        <translation>回答到此结束，因为设置最多允许 %1 个词元。</translation>
    </message>
    <message>
        <source>The answer ends here because the model&apos;s context (%1 tokens) is full.</source>
        <translation>回答到此结束，因为模型的上下文（%1 词元）已满。</translation>
    </message>
    <message>
        <source>There is no model to answer. Open one first.</source>
        <translation>没有可以回答的模型。请先打开一个。</translation>
    </message>
    <message>
        <source>The new answer could not be started.</source>
        <translation>无法开始新的回答。</translation>
    </message>
    <message>
        <source>The answer could not be continued.</source>
        <translation>无法继续回答。</translation>
    </message>
    <message>
        <source>The changed message was not sent.</source>
        <translation>修改后的消息未发送。</translation>
    </message>
    <message>
        <source>The calls of tools could not be saved: %1</source>
        <translation>无法保存工具调用：%1</translation>
    </message>
    <message>
        <source>The answer ends here because the server allows no more tokens.</source>
        <translation>回答到此结束，因为服务器不允许更多词元。</translation>
    </message>
    <message>
        <source>A model that is not local cannot go on from the text of an answer. Ask for another answer.</source>
        <translation>非本地模型无法从已有回答继续。请重新生成回答。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ReplyWriter</name>
    <message>
        <source>The answer is not saved yet; it will be tried again.</source>
        <translation>回答尚未保存；将会重试。</translation>
    </message>
    <message>
        <source>All answers are saved now.</source>
        <translation>所有回答都已保存。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::RequestListModel</name>
    <message>
        <source>under way</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ServedRequestListModel</name>
    <message>
        <source>a program without a name</source>
        <translation>未命名的程序</translation>
    </message>
    <message>
        <source>waits for its turn</source>
        <translation>等待轮到</translation>
    </message>
    <message>
        <source>is answered</source>
        <translation>正在回答</translation>
    </message>
    <message>
        <source>the program left</source>
        <translation>程序已断开</translation>
    </message>
    <message>
        <source>%1 · done</source>
        <translation>%1 · 完成</translation>
    </message>
    <message>
        <source>%1 · %2 tokens read, %3 written</source>
        <translation>%1 · 读取 %2 个词元，写出 %3 个</translation>
    </message>
    <message>
        <source>the answer was cut off</source>
        <translation>回答被中断</translation>
    </message>
    <message>
        <source>the token is missing or wrong</source>
        <translation>访问令牌缺失或错误</translation>
    </message>
    <message>
        <source>a web page, or another name of this computer</source>
        <translation>网页，或本机的其他名称</translation>
    </message>
    <message>
        <source>no such path or model</source>
        <translation>没有此路径或模型</translation>
    </message>
    <message>
        <source>too many requests wait</source>
        <translation>等待的请求过多</translation>
    </message>
    <message>
        <source>no model answers</source>
        <translation>没有模型应答</translation>
    </message>
    <message>
        <source>the model could not answer</source>
        <translation>模型无法回答</translation>
    </message>
    <message>
        <source>the request was not understood</source>
        <translation>无法理解该请求</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>hearth::ui::SettingListModel</name>
    <message>
        <source>%1, shared with the processor</source>
        <translation>%1，与处理器共享</translation>
    </message>
    <message>
        <source>%1 GB/s</source>
        <translation>%1 GB/秒</translation>
    </message>
    <message>
        <source>tried, works</source>
        <translation>已试用，可用</translation>
    </message>
    <message>
        <source>not tried yet</source>
        <translation>尚未试用</translation>
    </message>
    <message>
        <source>this version cannot use it</source>
        <translation>此版本不能使用</translation>
    </message>
    <message>
        <source>tried, failed</source>
        <translation>已试用，失败</translation>
    </message>
    <message>
        <source>; not used automatically: %1</source>
        <translation>；不会自动使用：%1</translation>
    </message>
    <message>
        <source>First open the model that this setting is for.</source>
        <translation>请先打开此设置所针对的模型。</translation>
    </message>
    <message>
        <source>The style decides. Choose “Own values” to change it.</source>
        <translation>由风格决定。要更改，请选择“自定义”。</translation>
    </message>
    <message>
        <source>%1 is %2.</source>
        <translation>%1 等于 %2。</translation>
    </message>
    <message>
        <source>Now: none.</source>
        <translation>当前：无。</translation>
    </message>
    <message>
        <source>Now: none. %1</source>
        <translation>当前：无。%1</translation>
    </message>
    <message>
        <source>Now: %1, with %2 % of the model.</source>
        <translation>当前：%1，承担模型的 %2 %。</translation>
    </message>
    <message>
        <source>Now: no card takes part.</source>
        <translation>当前：没有显卡参与。</translation>
    </message>
    <message>
        <source>Now: holds %1 of %2.</source>
        <translation>当前：占用 %1 / %2。</translation>
    </message>
    <message>
        <source>%1 of the model are read from the disk for each word.</source>
        <translation>每个词要从磁盘读取模型的 %1。</translation>
    </message>
    <message numerus="yes">
        <source>Now: %n threads.</source>
        <translation>
            <numerusform>当前：%n 个线程。</numerusform>
        </translation>
    </message>
    <message>
        <source>Now: %1 tokens.</source>
        <translation>当前：%1 词元。</translation>
    </message>
    <message>
        <source>Now: %1.</source>
        <translation>当前：%1。</translation>
    </message>
    <message>
        <source>Without instructions, this model is told: “%1”</source>
        <translation>没有指令时，会告诉此模型：“%1”</translation>
    </message>
    <message>
        <source>The open model does not know it.</source>
        <translation>当前打开的模型不支持。</translation>
    </message>
    <message>
        <source>The processor alone.</source>
        <translation>只用处理器。</translation>
    </message>
    <message>
        <source>Not for the model that answers now: it is not local.</source>
        <translation>不适用于当前的模型：它不在本地。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::SettingsFile</name>
    <message>
        <source>What you changed in the settings is not kept: %1 cannot be written.</source>
        <translation>设置的更改没有保存：无法写入 %1。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::SidebarListModel</name>
    <message>
        <source>Projects</source>
        <translation>项目</translation>
    </message>
</context>
<context>
    <name>hearth::ui::StdioTransport</name>
    <message>
        <source>The program %1 cannot be started: %2</source>
        <translation>无法启动程序 %1：%2</translation>
    </message>
    <message>
        <source>The command line has no program, or a quotation mark without its second.</source>
        <translation>命令行没有程序，或引号不成对。</translation>
    </message>
    <message>
        <source>On this system Hearth cannot shut a program out of the network, so the server was not started. Allow it the network to start it all the same.</source>
        <translation>在此系统上，Hearth 无法阻止程序访问网络，因此没有启动服务器。如仍要启动，请允许它使用网络。</translation>
    </message>
    <message>
        <source>This system does not let Hearth shut a program out of the network, so the server was not started. Allow it the network to start it all the same.</source>
        <translation>此系统不允许 Hearth 阻止程序访问网络，因此没有启动服务器。如仍要启动，请允许它使用网络。</translation>
    </message>
    <message>
        <source>The program %1 cannot be started.</source>
        <translation>无法启动程序 %1。</translation>
    </message>
    <message>
        <source>The server has crashed.</source>
        <translation>服务器已崩溃。</translation>
    </message>
    <message>
        <source>The server has ended (code %1).</source>
        <translation>服务器已结束（代码 %1）。</translation>
    </message>
    <message>
        <source>The server does not read what it is sent.</source>
        <translation>服务器没有读取发给它的内容。</translation>
    </message>
    <message>
        <source>The server sent a message that is too long.</source>
        <translation>服务器发送的消息太长。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::TokenKeeper</name>
    <message>
        <source>It is in this system&apos;s keychain.</source>
        <translation>它保存在此系统的钥匙串中。</translation>
    </message>
    <message>
        <source>It is forgotten when Hearth ends: there is no keychain here that keeps it.</source>
        <translation>Hearth 退出后会忘记它：这里没有可保存它的钥匙串。</translation>
    </message>
    <message>
        <source>This is no access token: a token has letters, digits and signs, but no spaces.</source>
        <translation>这不是访问令牌：令牌由字母、数字和符号组成，不含空格。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ToolRounds</name>
    <message>
        <source>There is no such tool.</source>
        <translation>没有这个工具。</translation>
    </message>
    <message>
        <source>Not called: an answer may call tools %1 times.</source>
        <translation>未调用：一个回答最多调用工具 %1 次。</translation>
    </message>
    <message>
        <source>The model wants to call a tool and waits for your answer.</source>
        <translation>模型想调用工具，正在等待答复。</translation>
    </message>
    <message>
        <source>A result of a tool is not saved.</source>
        <translation>工具的一个结果没有保存。</translation>
    </message>
    <message>
        <source>The user refused this call.</source>
        <translation>用户拒绝了此调用。</translation>
    </message>
</context>
<context>
    <name>hearth::ui::ToolShelf</name>
    <message>
        <source>started</source>
        <translation>已启动</translation>
    </message>
    <message>
        <source>The server was switched off.</source>
        <translation>服务器已关闭。</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>%1 is called</source>
        <translation>正在调用 %1</translation>
    </message>
    <message>
        <source>The tool was switched off.</source>
        <translation>工具已关闭。</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 失败</translation>
    </message>
    <message numerus="yes">
        <source>%1 answered, %n characters</source>
        <translation>
            <numerusform>%1 已答复，%n 个字符</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Hearth opens one model at a start. Not opened: %1.</source>
        <translation>Hearth 启动时只打开一个模型。未打开：%1。</translation>
    </message>
    <message>
        <source>Hearth is open already and does not answer. This window shows your conversations and changes nothing; end the other one, then start again.</source>
        <translation>Hearth 已打开但没有响应。此窗口只显示对话，不作更改；请结束另一个，然后重新启动。</translation>
    </message>
</context>
</TS>
