import type { ServerRequest } from './model-process.ts'

/**
 * Characters that count as one token: few for English and JSON, so that the estimate is rather too
 * high.
 */
const charactersOfToken = 3.5

/** System prompt, tools and messages of a request, as they are sent. */
export function tokensOfRequest(request: ServerRequest | undefined): number {
  const { system, tools, messages } = JSON.parse(request?.raw ?? '{}')
  return Math.ceil(JSON.stringify({ system, tools, messages }).length / charactersOfToken)
}

/**
 * Percentage of the bytes, in all requests of a lane after the first, that repeat the start of the
 * previous request: a provider's cache can serve these.
 */
export function shareOfRepeatedBytes(tasks: readonly (readonly ServerRequest[])[]): number {
  let repeated = 0
  let all = 0
  for (const requests of tasks) {
    for (const [i, request] of requests.entries()) {
      const before = requests[i - 1]
      if (before === undefined || laneOf(before) !== laneOf(request)) continue
      const [mine, theirs] = [cached(request), cached(before)]
      repeated += lengthInCommon(mine, theirs)
      all += mine.length
    }
  }
  return (100 * repeated) / all
}

/** The request's text in the order in which a provider passes it to its model. */
function cached({ raw }: ServerRequest): string {
  const { system, tools, messages } = JSON.parse(unmarked(raw))
  return JSON.stringify([tools, system, messages])
}

function lengthInCommon(one: string, other: string): number {
  const end = Math.min(one.length, other.length)
  let length = 0
  while (length < end && one[length] === other[length]) length += 1
  return length
}

/**
 * Percentage of the requests after a lane's first that contain the whole previous request, byte for
 * byte, in tools, system prompt and messages.
 */
export function shareOfKeptPrefixes(tasks: readonly (readonly ServerRequest[])[]): number {
  let kept = 0
  let all = 0
  for (const requests of tasks) {
    for (const [i, request] of requests.entries()) {
      const before = requests[i - 1]
      if (before === undefined || laneOf(before) !== laneOf(request)) continue
      all += 1
      if (holds(request.raw, before.raw)) kept += 1
    }
  }
  return (100 * kept) / all
}

/** The lanes of a task follow each other, and differ in their tools. */
function laneOf({ raw }: ServerRequest): string {
  return JSON.stringify(JSON.parse(raw).tools)
}

function holds(raw: string, before: string): boolean {
  const [mine, theirs] = [unmarked(raw), unmarked(before)]
  const { messages, ...rest } = JSON.parse(mine)
  const { messages: earlier, ...restBefore } = JSON.parse(theirs)
  if (JSON.stringify(rest) !== JSON.stringify(restBefore)) return false
  const prefix = JSON.stringify(earlier).slice(0, -1)
  const end = theirs.indexOf(prefix) + prefix.length
  return theirs.includes(prefix) && messages.length > earlier.length && mine.slice(0, end) === theirs.slice(0, end)
}

/**
 * Removes Anthropic's cache marks, which move with the conversation and are not part of the cached
 * text.
 */
function unmarked(raw: string): string {
  return raw.replaceAll(',"cache_control":{"type":"ephemeral"}', '')
}
