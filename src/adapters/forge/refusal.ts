import { DrydockError, type ErrorCode } from '../../domain/drydock-error.ts'
import { parsedJson } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'

/** The error for an answer with a status from 300 to 499. */
export async function refusal(name: string, response: Response): Promise<DrydockError> {
  const { status } = response
  const said = messageIn(await response.text())
  const [code, message, todo] = meaning(name, status)
  return new DrydockError(code, said === '' ? `${message}.` : `${message}: ${said}`, { todo })
}

function meaning(name: string, status: number): readonly [ErrorCode, message: string, todo: string] {
  switch (status) {
    case 401:
      return [
        'forge_refused',
        `${name} does not know the token (401)`,
        'It may have ended or been revoked. Make a new one and put it into the environment variable of the forge.',
      ]
    case 403:
      return [
        'forge_refused',
        `${name} does not let the token do this (403)`,
        'Give the token write access to the code, pull requests and commit statuses of the repository.',
      ]
    case 404:
    // The resource was deleted.
    case 410:
      return [
        'forge_not_found',
        `${name} does not find it, or does not show it to the token (${status})`,
        'Check the URL of the remote (git remote -v), and that the token may see the repository.',
      ]
    case 400:
    case 409:
    case 413:
    case 422:
    // The repository is archived, so it accepts no changes.
    case 423:
      return [
        'forge_rejected',
        `${name} rejects the request (${status})`,
        'Correct what it names, then run the same command again.',
      ]
    default:
      return [
        'forge_unreachable',
        `${name} answered ${status}`,
        'Check that its URL in `forges` of your configuration is the URL of a forge.',
      ]
  }
}

/** The forge's own error text as one line: data, not one of our sentences. */
function messageIn(body: string): string {
  const texts = textsIn(parsedJson(body)).filter((text) => text !== '')
  const line = [...new Set(texts)]
    .join('; ')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  return line.length > limits.forge.messageChars ? `${line.slice(0, limits.forge.messageChars)}…` : line
}

/**
 * Reads `message` and `errors` of GitHub, `message` and `error` of the others, in all their shapes.
 */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (value === null || typeof value !== 'object') return []
  const { message, error, errors, field, code } = value as Record<string, unknown>
  const own = [message, error, errors].flatMap(textsIn)
  if (own.length > 0) return own
  if (typeof code === 'string') return [[field, code].filter(Boolean).join(' ')]
  // GitLab reports errors by field: { base: ['is invalid'] }.
  return Object.entries(value).flatMap(([name, each]) => textsIn(each).map((text) => `${name} ${text}`))
}
