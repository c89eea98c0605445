/** True for the names and addresses of this machine itself, in a URL or as a host to listen on. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/.test(hostname)
}
