import { createHash } from 'node:crypto'
import { canonicalText, type McpDefinition } from '../../domain/mcp/definition.ts'

export function hashOf(definitions: readonly McpDefinition[]): string {
  return createHash('sha256').update(canonicalText(definitions)).digest('hex')
}
