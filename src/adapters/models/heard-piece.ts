import type { HeardPiece } from '../../ports/model.ts'
import type { StreamPart } from './language-model.ts'

/** What a part of a stream lets people hear; null for one that says nothing. */
export function pieceOf(part: StreamPart): HeardPiece | null {
  switch (part.type) {
    case 'text-delta':
      return { kind: 'text', text: part.delta }
    case 'reasoning-delta':
      return { kind: 'thought', text: part.delta }
    case 'tool-input-start':
      return { kind: 'call', text: '', tool: part.toolName }
    case 'tool-input-delta':
      return { kind: 'call', text: part.delta }
    default:
      return null
  }
}
