interface Node {
  readonly type: string
  tagName?: string
  readonly children?: readonly Node[]
}

/**
 * A rehype plugin: the first heading of a text gets the level `base`, and none is more than one
 * level below the one before. So no text breaks the outline of its page.
 */
export function outline({ base }: { readonly base: number }): (tree: Node) => void {
  return (tree) => {
    const around: number[] = []
    const visit = (node: Node) => {
      const said = /^h([1-6])$/.exec(node.tagName ?? '')
      if (said === null) return node.children?.forEach(visit)
      const level = Number(said[1])
      while ((around.at(-1) ?? 0) >= level) around.pop()
      around.push(level)
      node.tagName = `h${Math.min(6, base + around.length - 1)}`
    }
    visit(tree)
  }
}
