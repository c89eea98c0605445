import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** What a server has answered, as a text. What is no text is named and left out. */
export function resultText({ content, structuredContent }: CallToolResult): string {
  const texts = content.map(textOf)
  if (texts.length > 0) return texts.join('\n')
  return structuredContent === undefined ? '(an empty answer)' : JSON.stringify(structuredContent)
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `(${block.type} of ${block.data.length} characters, left out)`
    case 'resource':
      return 'text' in block.resource
        ? `${block.resource.uri}:\n${block.resource.text}`
        : `(${block.resource.uri}, which is no text, left out)`
    case 'resource_link':
      return `(a link: ${block.name}, ${block.uri})`
    default:
      return '(an unknown part, left out)'
  }
}
