import type { ContentBlock } from '@agentclientprotocol/sdk'
import { dataSection } from '../../agents/prompts/data-section.ts'
import { limits } from '../../domain/limits.ts'
import { invalid } from './rpc-error.ts'

/**
 * The text of a prompt. What the editor attaches is data beside the user's own words. Throws
 * RequestError for an empty or huge prompt, and for pictures, sound and binary files.
 */
export function promptText(prompt: readonly ContentBlock[]): string {
  const text = prompt.map(textOf).join('\n\n').trim()
  if (text === '') throw invalid('The prompt is empty. Say what to do.')
  const bytes = Buffer.byteLength(text)
  if (bytes <= limits.specBytes) return text
  throw invalid(`The prompt has ${bytes} bytes. At most ${limits.specBytes} are allowed. Attach less.`)
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return `See ${pathOf(block.uri)}${block.description ? ` (${block.description})` : ''}`
    case 'resource': {
      const { resource } = block
      if (!('text' in resource)) throw invalid(`${resource.uri} is no text. Drydock reads text only.`)
      return dataSection('attachment', resource.text, ` uri="${pathOf(resource.uri).replaceAll(/["\n]/g, '')}"`)
    }
    default:
      throw invalid(`Drydock takes text, files and links, but no ${block.type}.`)
  }
}

/** A file as agents name it. Anything else stays as the editor names it. */
function pathOf(uri: string): string {
  if (!uri.startsWith('file://')) return uri
  try {
    return decodeURIComponent(new URL(uri).pathname)
  } catch {
    return uri
  }
}
