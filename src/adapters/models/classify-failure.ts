import { limits } from '../../domain/limits.ts'
import type { ModelError, ModelErrorKind } from '../../ports/model.ts'
import { EmptyAnswer, ProviderFailure, ReplyCut } from './answers/provider-failure.ts'
import type { ExchangeCut, Progress } from './exchange.ts'
import { oneLine } from './one-line.ts'
import { spanOf } from './span-of.ts'

/** Facts about a failed call, in addition to the thrown value. */
export interface Circumstances {
  readonly provider: string
  readonly cut: Exclude<ExchangeCut, { type: 'too_long' }> | null
  readonly progress: Progress
  /** Values that a message must not show. */
  readonly secrets: readonly string[]
}

type Class = readonly [kind: ModelErrorKind, retryable: boolean]

/** Turns a failed call into one of the port's errors. */
export function classifyFailure(thrown: unknown, at: Circumstances): ModelError {
  const failure = failureIn(thrown)
  if (at.cut && failure === null) {
    const isSilent = at.cut.type === 'timeout' && at.progress === 'sent'
    return { ...afterCut(at.cut, at), retryAfterMs: null, ...(isSilent && { unreachable: true }) }
  }
  return failure === null ? brokenOff(thrown, at) : toldFailure(failure, at)
}

/** The SDK may have wrapped the error in its own. */
function failureIn(thrown: unknown): ProviderFailure | null {
  let at = thrown
  for (let depth = 0; depth < 4 && at instanceof Error; depth += 1) {
    if (at instanceof ProviderFailure) return at
    at = at.cause
  }
  return null
}

/** The provider has named the reason. */
function toldFailure(failure: ProviderFailure, { provider, secrets }: Circumstances): ModelError {
  const { told, refusal, isWhole } = failure
  const status = statusOf(failure)
  const isElsewhere = isWrongPlace(failure, status)
  const [kind, retryable] = isElsewhere && status !== 404 ? notAnApi : classOf(told.words, status)
  const wait = retryable ? askedToWait(refusal?.headers, told.words) : null
  return {
    kind,
    retryable,
    message: oneLine(`${provider} ${saidBy(failure)}${longWaitText(wait)}`, secrets),
    retryAfterMs: wait === null ? null : Math.min(wait, limits.longestModelWaitMs),
    // A gateway that timed out may have sent the call to the model.
    ...(isWhole && !(refusal && [408, 499, 504].includes(refusal.status)) && { free: true }),
    ...(isExhausted(told.words, status) && { exhausted: true }),
    ...(isElsewhere && { unreachable: true }),
    ...(status === undefined && kind === 'interrupted' && { came: 'unusable' as const }),
  }
}

const notAnApi: Class = ['bad_request', false]

function saidBy(failure: ProviderFailure): string {
  if (failure instanceof EmptyAnswer)
    return 'sent an empty answer. If it does so again, check the server and any proxy before it.'
  return `${how(failure)}: ${failure.told.message}`
}

function how({ told, refusal, isWhole }: ProviderFailure): string {
  const page = told.isPage ? ' with a web page' : ''
  if (refusal !== null) return `answered ${refusal.status}${page}`
  if (told.isPage) return 'answered with a web page in the place of a reply'
  const code = told.status === undefined ? '' : ` ${told.status}`
  return `${isWhole ? 'answered with' : 'ended its reply with'} the error${code}`
}

/**
 * The status inside the error wins if the answer's own status is unspecific: servers that forward
 * another's error use one status for all of them.
 */
function statusOf({ told, refusal }: ProviderFailure): number | undefined {
  if (refusal === null) return told.status
  return refusal.status === 400 || refusal.status === 500 ? (told.status ?? refusal.status) : refusal.status
}

/**
 * True if the server is not an API for models, or does not know the path and does not mention a
 * model.
 */
function isWrongPlace({ told, refusal }: ProviderFailure, status: number | undefined): boolean {
  if (told.isPage && (refusal === null || refusal.status < 500) && ![401, 407, 408, 429].includes(status ?? 0))
    return true
  if (refusal === null || status === undefined) return false
  if ((status >= 300 && status < 400) || status === 405) return true
  return status === 404 && !/model|not_found_error/.test(told.words) && !noToolsWords.test(told.words)
}

/** The call broke off, and no error message says why. */
function brokenOff(thrown: unknown, { provider, progress, secrets }: Circumstances): ModelError {
  const failure: Failure = typeof thrown === 'object' && thrown !== null ? thrown : { message: String(thrown) }
  const reasons = reasonsOf(failure).join(': ')
  const [kind, retryable] = withoutWords(failure, reasons, progress)
  const isUnsent = progress === 'unsent' || (progress === 'sent' && connectWords.test(reasons))
  return {
    kind,
    retryable,
    retryAfterMs: null,
    message: oneLine(`${provider}: ${reasons}`, secrets),
    ...(isUnsent && { free: true }),
    ...(progress === 'sent' && { unreachable: true }),
    ...(kind === 'interrupted' && { came: isBrokenOff(failure) ? ('broken_off' as const) : ('unusable' as const) }),
  }
}

function withoutWords({ type }: Failure, reasons: string, progress: Progress): Class {
  if (type === 'prompt_truncated') return ['prompt_truncated', false]
  switch (progress) {
    case 'unsent':
      return ['bad_request', false]
    case 'sent':
      return ['network', true]
    case 'answered':
      return contextWords.test(reasons) ? ['context_overflow', false] : ['interrupted', true]
    default:
      throw new Error(`unknown progress ${progress satisfies never}`)
  }
}

/** True if the connection failed, rather than the answer. */
function isBrokenOff(failure: unknown): boolean {
  let at = failure
  for (let depth = 0; depth < 4 && at instanceof Error; depth += 1) {
    // For one kind of provider the SDK reports this before the reply is checked here.
    if (at instanceof ReplyCut || at.message.includes('ended without a finish reason')) return true
    if ('code' in at && /^E[A-Z]+$|PREMATURE_CLOSE/.test(String(at.code))) return true
    at = at.cause
  }
  return false
}

const connectWords = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|Connect Timeout/

/** The fields of errors of the SDK and of Node that are read here. */
interface Failure {
  readonly message?: unknown
  readonly type?: unknown
  readonly cause?: unknown
}

/** The SDK's wrappers say little; the real reasons are in their causes. */
function reasonsOf(failure: Failure): string[] {
  const reasons: string[] = []
  let at: unknown = failure
  for (let depth = 0; depth < 4 && typeof at === 'object' && at !== null; depth++) {
    const { message, cause }: Failure = at
    if (typeof message === 'string' && !reasons.some((said) => said.includes(message))) reasons.push(message)
    at = cause
  }
  return reasons.some(Boolean) ? reasons.filter(Boolean) : ['no reason was given']
}

function afterCut(
  cut: NonNullable<Circumstances['cut']>,
  { provider, progress }: Circumstances,
): Omit<ModelError, 'retryAfterMs'> {
  switch (cut.type) {
    case 'aborted':
      return { kind: 'interrupted', message: 'The call was aborted.', retryable: true }
    case 'timeout': {
      const message = `${provider} took over ${cut.ms / 1000} s to send the ${cut.waitingFor}.`
      // A reply that was written all the time would take as long again.
      const came = cut.waitingFor === 'end' ? 'unusable' : 'broken_off'
      return { kind: 'timeout', message, retryable: true, ...(progress === 'answered' && { came }) }
    }
    default:
      throw new Error(`unknown cut ${cut satisfies never}`)
  }
}

/**
 * Classifies an error. Without a status, the message decides. With 400 and 422 the error may
 * concern the request itself, whose errors use some of the same words, so only unambiguous words
 * count.
 */
function classOf(words: string, status: number | undefined): Class {
  if (status === 401) return ['auth', false]
  if (isExhausted(words, status))
    return status === 429 ? ['rate_limited', !moneyWords.test(words)] : ['no_access', false]
  if (status === 403) return [keyWords.test(words) ? 'auth' : 'no_access', false]
  if (noToolsWords.test(words)) return ['no_tools', false]
  const isUntold = status === undefined
  const isVague = isUntold || status === 400 || status === 422
  if (status === 413 || (isVague && contextWords.test(words))) return ['context_overflow', false]
  if (isVague && (isUntold ? keyWords : plainKeyWords).test(words)) return ['auth', false]
  if (status === 404 || (isVague && modelWords.test(words))) return ['unknown_model', false]
  if (status === 429 || (isUntold && rateWords.test(words))) return ['rate_limited', true]
  if (isUntold && crowdWords.test(words)) return ['overloaded', true]
  if (status === 408 || status === 504) return ['timeout', true]
  if (status === 409 || status === 425 || status === 499 || isUntold) return ['interrupted', true]
  return status >= 500 ? ['overloaded', true] : ['bad_request', false]
}

/**
 * True if nothing is left to spend. Google reports each of its limits as an exceeded quota, and
 * names those per minute.
 */
function isExhausted(words: string, status: number | undefined): boolean {
  if (status !== undefined && (status >= 500 || status === 401)) return false
  return status === 402 || (quotaWords.test(words) && !/per ?minute/.test(words))
}

/** Waiting does not help with these. */
const moneyWords = /insufficient|exceeded your current quota.*billing|credit/

const quotaWords =
  /insufficient[ _](quota|credits?|balance|funds)|exceeded your current quota|billing_(error|hard_limit)|credit balance is too low|more credits|out of credits|used all available credits|(spending|usage|monthly|daily|weekly)[ _](limit|quota)|quota.{0,40}(per ?day|per ?month)/

const contextWords =
  /context[ _](length|window|size)|prompt is too long|maximum context|input token count.*exceeds|too many (input )?tokens/
/** Messages of Ollama, llama.cpp, vLLM and OpenRouter about a request with tools. */
const noToolsWords =
  /does not support (tools|tool use|tool calling|function calling)|tools param requires --jinja|tool choice requires --enable-auto-tool-choice|no endpoints found that support tool use/
/** Messages about the key itself, rather than about its permissions. */
const keyWords =
  /(api|access)[ _-]?(key|token)[ _](is )?(not valid|invalid|expired|incorrect|required|missing|not found|was reported)|(invalid|incorrect|expired|missing|wrong|no) (api|access|x-api|authentication|auth)[ _-]?(key|token|credentials)|invalid (credentials|token)|unregistered callers|authentication_error|unauthori[sz]ed|not authenticated|authentication (failed|required|error)|login fail/
const plainKeyWords =
  /api[ _]key[ _](not valid|invalid|expired|not found|was reported)|(incorrect|invalid) api key|unregistered callers|authentication_error/
const modelWords =
  /model_not_found|(unknown|invalid|no such) model|model .{0,80}(does not exist|not found|is not supported|is not available|not exist)/
const rateWords = /rate[ _-]?limit|too many (requests|concurrent)|throttl|slow down|requests per/
/** Messages about a temporary overload. */
const crowdWords =
  /overloaded|over capacity|at capacity|temporarily|service unavailable|try again|server is busy|bad gateway/

/** The delay that the provider asks for in its headers or its message, in milliseconds. */
function askedToWait(headers: ReadonlyMap<string, string> | undefined, words: string): number | null {
  const said = headers && retryAfterMs(headers)
  if (said !== undefined && said !== null) return said
  // Google names it in a field of the body, OpenAI also in a sentence.
  const [, span] =
    /(?:"retrydelay":\s*"|(?:try again|retry) (?:in|after) (?:about )?)((?:[\d.]*\d ?[a-z]+ ?)+)/.exec(words) ?? []
  return span === undefined ? null : spanOf(span)
}

/** `retry-after-ms`, or `retry-after` as seconds, as a span like `1m30s`, or as a date. */
function retryAfterMs(headers: ReadonlyMap<string, string>): number | null {
  const ms = headers.get('retry-after-ms')
  if (ms !== undefined && /^\d+(\.\d+)?$/.test(ms)) return Math.ceil(Number(ms))
  const value = headers.get('retry-after')?.trim() ?? ''
  const span = spanOf(value)
  // A date contains words or has the ISO form; JavaScript would also accept `-5` as a date.
  if (span !== null || !/^[a-z]{3,9},? |^\d{4}-\d\d-\d\d/i.test(value)) return span
  const until = Date.parse(value) - Date.parse(headers.get('date') ?? new Date().toUTCString())
  return until >= 0 ? until : null
}

/** Used if the provider asks for a longer delay than the automatic retry allows. */
function longWaitText(ms: number | null): string {
  if (ms === null || ms <= limits.longestModelWaitMs) return ''
  const days = Math.round(ms / 86_400_000)
  return ` (it asks to wait for ${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'})`
}
