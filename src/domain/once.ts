/** Makes a value when it is asked for first, and keeps it; one that throws is made anew. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
