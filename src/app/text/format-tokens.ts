/** Formats tokens as `43.5k`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  return tokens < 999_950 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`
}
