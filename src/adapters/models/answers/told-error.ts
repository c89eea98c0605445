import { isObject, type Json, type JsonObject, parsedJson } from '../../../domain/json.ts'
import type { AnswerPart } from './read-parts.ts'

/** An error as a provider has sent it, in any format. */
export interface ToldError {
  /** The message in the provider's words. */
  readonly message: string
  /** The HTTP status that the error contains, if any. */
  readonly status: number | undefined
  /** The error's message, codes and types, by which it is classified. */
  readonly words: string
  /** True if the answer is a web page, so the server is not an API. */
  readonly isPage: boolean
}

/** The most characters of an answer that are searched for an error. */
const mostChars = 65_536
/** A page shows its purpose in its first lines. */
const mostCharsOfPage = 4_096

/** The error in the body of a refusal. */
export function refusalIn(body: string): ToldError {
  const json = parsedJson(body)
  return (json === undefined ? null : errorOf(json, { isError: true })) ?? textError(body)
}

/** The error in a part of a successful answer, whatever else the answer contains. */
export function errorIn(part: AnswerPart): ToldError | null {
  const { text, json, event } = part
  if (json !== undefined && typeof json !== 'string') return errorOf(json, { isError: event === 'error' })
  const told = textError(json ?? text)
  // Broken JSON may be a part of the reply, which would then be incomplete.
  const isPart = !part.isStray && (event === 'error' || told.isPage || /^[{[]/.test(text.trim()))
  return isPart ? told : null
}

/**
 * Text that does not belong to a reply. It is an error if no reply comes, and otherwise a sign that
 * the server is alive.
 */
export function wordsIn({ text, json }: AnswerPart): ToldError | null {
  if (json === undefined || typeof json === 'string') return textError(json ?? text)
  return isObject(json) && isOnlyWords(json) ? errorOf(json, { isError: true }) : null
}

/** An error that is not JSON: a proxy's message, or a web page. */
export function textError(text: string): ToldError {
  const begun = text.slice(0, mostChars)
  const isPage = /^\s*<(!doctype|html|head|body|\?xml|!--|title|script|meta)/i.test(begun)
  const shown = isPage ? wordsOfPage(begun.slice(0, mostCharsOfPage)) : begun.trim()
  return {
    message: shown || 'it gave no reason',
    status: undefined,
    words: begun.slice(0, 8_192).toLowerCase(),
    isPage,
  }
}

/** The title, or else the visible text. */
function wordsOfPage(page: string): string {
  const [, title = ''] = /<title[^<>]*>(.*?)<\/title>/is.exec(page) ?? []
  const words = title.trim() === '' ? page.replace(/<(script|style)\b.*?(<\/\1\s*>|$)/gis, ' ') : title
  return words
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Fields of a reply in all formats. A message without any of them is an error. */
const ofReply = ['choices', 'candidates', 'content', 'delta', 'response', 'output', 'item', 'part', 'text', 'done']
const ofModel = ['choices', 'candidates', 'content', 'delta', 'output']
const ofError = ['error', 'errors', 'fault', 'base_resp']
const ofWords = ['message', 'msg', 'error_message', 'error_msg', 'status_msg', 'faultstring', 'detail', 'title']
const below = [...ofError, ...ofWords, 'response', 'metadata', 'raw', 'details']
const ofCode = ['code', 'status', 'status_code', 'type', 'error_code', 'reason', 'http_code']

/** `isError`: the status or the event marks it as an error. */
function errorOf(json: Json, { isError }: { readonly isError: boolean }): ToldError | null {
  // A list of errors, or a stream that came as one list.
  if (Array.isArray(json)) return json.map((each) => errorOf(each, { isError })).find((each) => each !== null) ?? null
  if (typeof json === 'string') return textError(json)
  if (!isObject(json) || !(isError || isErrorItself(json))) return null
  // The model's own words say nothing about the error.
  const told = Object.fromEntries(Object.entries(json).filter(([name]) => !ofModel.includes(name))) as JsonObject
  const whole = JSON.stringify(told).slice(0, mostChars)
  return {
    message: [...new Set(wordsBelow(told, 0))].slice(0, 3).join(': ') || whole,
    status: codesIn(told, 0)
      .map(statusOf)
      .find((status) => status !== undefined),
    words: whole.slice(0, 8_192).toLowerCase(),
    isPage: false,
  }
}

function isErrorItself(json: JsonObject): boolean {
  if (json.type === 'error' || json.object === 'error' || json.success === false) return true
  const { response } = json
  if (isObject(response) && (response.status === 'failed' || ofError.some((name) => says(response[name])))) return true
  return ofError.some((name) => says(json[name]))
}

function isOnlyWords(json: JsonObject): boolean {
  if (ofReply.some((name) => json[name] !== undefined && json[name] !== null)) return false
  if (ofWords.some((name) => says(json[name]) && !isObject(json[name]))) return true
  // A code of success with no other content.
  return json.type === undefined && ofError.some((name) => wordsBelow(json[name], 0).length > 0)
}

/** Some servers send the field with each reply, empty or with a code of success. */
function says(value: Json | undefined): boolean {
  if (typeof value === 'string') return !/^\s*(null|none|nil|undefined|false|0|ok|success)?\s*$/i.test(value)
  if (typeof value === 'number') return value !== 0
  if (typeof value !== 'object' || value === null) return value === true
  const codes = Object.entries(value).filter(([name]) => ofCode.includes(name) && /code$/.test(name))
  if (codes.some(([, code]) => typeof code !== 'object' && code !== null && !says(code))) return false
  return Object.values(value).some((each) => says(each as Json))
}

/** The error's own words come first; those of the provider behind it follow. */
function wordsBelow(value: Json | undefined, depth: number): readonly string[] {
  if (typeof value === 'string') {
    const inner = parsedJson(value)
    return isObject(inner) && depth < 6 ? wordsBelow(inner, depth + 1) : value.trim() === '' ? [] : [value.trim()]
  }
  if (typeof value !== 'object' || value === null || depth > 6) return []
  if (Array.isArray(value)) return value.slice(0, 5).flatMap((each) => wordsBelow(each, depth + 1))
  return below.flatMap((name) => wordsBelow((value as JsonObject)[name], depth + 1))
}

function codesIn(value: Json | undefined, depth: number): readonly string[] {
  if (typeof value !== 'object' || value === null || depth > 6) return []
  if (Array.isArray(value)) return value.slice(0, 5).flatMap((each) => codesIn(each, depth + 1))
  const json = value as JsonObject
  const own = ofCode.flatMap((name) => {
    const code = json[name]
    return (typeof code === 'string' || typeof code === 'number') && code !== '' ? [String(code)] : []
  })
  return [...below.flatMap((name) => codesIn(json[name], depth + 1)), ...own]
}

/**
 * The HTTP status that an error's code or type stands for; undefined if it has none. A type that
 * stands for several reasons counts as undefined, so that the message decides.
 */
function statusOf(code: string): number | undefined {
  if (/^[45]\d\d$/.test(code)) return Number(code)
  const name = code
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/(error|exception)$/, '')
  return statuses.find(([names]) => names.includes(name))?.[1]
}

const statuses: readonly (readonly [names: readonly string[], status: number])[] = [
  [
    ['invalidapikey', 'apikeyinvalid', 'authentication', 'unauthenticated', 'unauthorized', 'invalidauthentication'],
    401,
  ],
  [['billing', 'paymentrequired', 'insufficientcredits', 'insufficientbalance'], 402],
  [['permission', 'permissiondenied', 'forbidden', 'accessdenied', 'accountdeactivated'], 403],
  [['modelnotfound', 'notfound'], 404],
  [['requesttoolarge'], 413],
  [['ratelimit', 'ratelimitexceeded', 'toomanyrequests', 'resourceexhausted', 'insufficientquota', 'throttling'], 429],
  [['invalidrequest', 'invalidargument', 'badrequest', 'failedprecondition', 'contextlengthexceeded'], 400],
  [['unsupportedparameter', 'unsupportedvalue', 'validation', 'invalidprompt'], 400],
  [['timeout', 'deadlineexceeded'], 504],
  [['overloaded', 'unavailable', 'serviceunavailable', 'engineoverloaded', 'slowdown'], 503],
  [['api', 'server', 'internal', 'internalserver'], 500],
]
