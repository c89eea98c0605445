import type { ReadGit } from '../../../ports/history.ts'
import { failed, type Git } from '../git.ts'

/** The largest reply of a sandbox. */
const mostBytes = 32 * 1024 ** 2
const never = new AbortController().signal

/**
 * Runs git in a sandbox, on a repository that is mounted there. This git only reads, and uses no
 * configuration but the repository's and the one below.
 */
export function gitInside(repository: string, read: ReadGit): Git {
  return async (
    args,
    { environment, input = '', signal, maxBytes = mostBytes, truncate, exits }: Parameters<Git>[1] = {},
  ) => {
    const { code, base64, stderr } = await read(
      {
        args: [`--git-dir=${repository}`, ...args],
        env: { ...ownEnvironment, ...environment },
        input: String(input),
        maxBytes: Math.min(maxBytes, mostBytes),
      },
      signal ?? never,
    )
    signal?.throwIfAborted()
    const stdout = Buffer.from(base64, 'base64')
    if (code === null && truncate) return { code: 0, stdout, truncated: true }
    if (code === null) throw failed(args, `it wrote more than ${maxBytes} bytes`)
    if (code !== 0 && !exits?.includes(code)) throw failed(args, stderr.trim() || `it ended with ${code}`)
    return { code, stdout, truncated: false }
  }
}

const settings: Readonly<Record<string, string>> = {
  'safe.directory': '*',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.quotePath': 'false',
  'core.commitGraph': 'false',
  'diff.ignoreSubmodules': 'all',
}

const ownEnvironment: Readonly<Record<string, string>> = {
  HOME: '/',
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_CONFIG_COUNT: String(Object.keys(settings).length),
  ...Object.fromEntries(
    Object.entries(settings).flatMap(([key, value], i) => [
      [`GIT_CONFIG_KEY_${i}`, key],
      [`GIT_CONFIG_VALUE_${i}`, value],
    ]),
  ),
}
