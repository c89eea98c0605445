import { isLoopback } from '../../domain/loopback.ts'
/**
 * Why a text cannot be the address of a hub; null where it can. A token must not go in the clear.
 */
export function problemOfHubUrl(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL'
  if (url.href !== `${url.origin}/`) return 'must be an origin, without a path, a user or a query'
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'must be https, unless the hub is on this machine: a token would cross the network in the clear'
  return null
}

/** The addresses of a hub and of those on standby for it, as people write them: with commas. */
export function hubUrls(text: string): readonly string[] {
  return text.split(',').map((url) => url.trim())
}

/** The same for each of several addresses. */
export function problemOfHubUrls(text: string): string | null {
  return (
    hubUrls(text)
      .map(problemOfHubUrl)
      .find((problem) => problem !== null) ?? null
  )
}
