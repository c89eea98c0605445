import type { ContentBlock } from '@agentclientprotocol/sdk'
import { dataSection } from '../../agents/prompts/data-section.ts'
import { limits } from '../../domain/limits.ts'
import { invalid } from './rpc-error.ts'

/**
 * The text of a prompt. Attachments are marked as data, apart from the user's own words. Files of
 * the repository get the names that agents know. Throws RequestError for an empty or huge prompt,
 * and for pictures, sound and binary files.
 */
export function promptText(prompt: readonly ContentBlock[], repository: string): string {
  const text = prompt
    .map((block) => textOf(block, repository))
    .join('\n\n')
    .trim()
  if (text === '') throw invalid('The prompt is empty. Say what to do.')
  const bytes = Buffer.byteLength(text)
  if (bytes <= limits.specBytes) return text
  throw invalid(`The prompt has ${bytes} bytes. At most ${limits.specBytes} are allowed. Attach less.`)
}

function textOf(block: ContentBlock, repository: string): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return attachment(
        block.uri,
        repository,
        `See ${pathOf(block.uri, repository)}${block.description ? ` (${block.description})` : ''}`,
      )
    case 'resource': {
      const { resource } = block
      if (!('text' in resource)) throw invalid(`${resource.uri} is no text. Drydock reads text only.`)
      return attachment(resource.uri, repository, resource.text)
    }
    default:
      throw invalid(`Drydock takes text, files and links, but no ${block.type}.`)
  }
}

/**
 * Formats an attachment. `subjectOf` recognises the form, so that no Run is named after an attached
 * file.
 */
function attachment(uri: string, repository: string, text: string): string {
  return dataSection('attachment', text, ` uri="${pathOf(uri, repository).replaceAll(/["\r\n]/g, '')}"`)
}

/** The path of a file relative to the repository. Any other URI is unchanged. */
function pathOf(uri: string, repository: string): string {
  if (!uri.startsWith('file://')) return uri
  try {
    const path = decodeURIComponent(new URL(uri).pathname)
    return path.startsWith(`${repository}/`) ? path.slice(repository.length + 1) : path
  } catch {
    return uri
  }
}
