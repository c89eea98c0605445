/** Headers that identify the client and the request to a provider; their values are public. */
const publicHeaders = new Set([
  'http-referer',
  'referer',
  'x-title',
  'user-agent',
  'accept',
  'content-type',
  'anthropic-beta',
  'anthropic-version',
  'openai-organization',
  'openai-project',
  'openai-beta',
])

/** The values of secret headers: all headers except those known to be harmless. */
export function secretHeaders<Value>(headers: Readonly<Record<string, Value>>): readonly Value[] {
  return Object.entries(headers).flatMap(([name, value]) => (publicHeaders.has(name.toLowerCase()) ? [] : [value]))
}
