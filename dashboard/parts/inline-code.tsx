/** One line of a model's text, in which only `code` is marked up. */
export function InlineCode({ text }: { readonly text: string }) {
  const parts = text.split(/(`[^`]+`)/).map((part, i) =>
    part.startsWith('`') && part.length > 2 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line have no other name
      <code key={i}>{part.slice(1, -1)}</code>
    ) : (
      part
    ),
  )
  return <>{parts}</>
}
