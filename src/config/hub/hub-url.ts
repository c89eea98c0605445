import { isLoopback } from '../../domain/loopback.ts'
/**
 * The reason why a text cannot be the address of a hub; null if it can. A token must not be sent
 * unencrypted.
 */
export function problemOfHubUrl(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL'
  if (url.href !== `${url.origin}/`) return 'must be an origin, without a path, a user or a query'
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'must be https, unless the hub is on this machine: a token would cross the network in the clear'
  return null
}

/** The addresses of a hub and its standbys, as people write them, separated by commas. */
export function hubUrls(text: string): readonly string[] {
  return text.split(',').map((url) => url.trim())
}

/** Checks each of several addresses. */
export function problemOfHubUrls(text: string): string | null {
  return (
    hubUrls(text)
      .map(problemOfHubUrl)
      .find((problem) => problem !== null) ?? null
  )
}
