import { parseAst } from 'rolldown/parseAst'

/** A small change of a program: `start` and `end` are offsets in its text, in UTF-16 units. */
export interface Mutation {
  readonly kind: 'condition' | 'bound' | 'event' | 'returned'
  readonly start: number
  readonly end: number
  readonly text: string
  /** True if the replaced part is a statement and not an expression. */
  readonly isStatement: boolean
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const otherOperator: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '+': '-',
  '-': '+',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

const comparisons = new Set(['===', '!==', '==', '!='])

/** The mutations of a TypeScript text, in the order of their places. */
export function mutationsOf(source: string): readonly Mutation[] {
  const found: Mutation[] = []
  const textOf = ({ start, end }: Node) => source.slice(start, end)
  const replace = (kind: Mutation['kind'], { start, end }: Node, text: string, isStatement = false) =>
    void found.push({ kind, start, end, text, isStatement })

  /** Replaces the operator between the two sides of an expression. */
  function swap(kind: Mutation['kind'], node: Node): void {
    const other = otherOperator[String(node.operator)]
    if (other === undefined) return
    // Parenthesized, since both sides may have any precedence.
    replace(kind, node, `(${textOf(node.left as Node)}) ${other} (${textOf(node.right as Node)})`)
  }

  function returned(value: Node): void {
    if (value.type === 'Literal' && typeof value.value === 'boolean') replace('returned', value, String(!value.value))
    else if (value.type === 'ArrayExpression' && (value.elements as readonly Node[]).length > 0)
      replace('returned', value, '[]')
    else if (value.type === 'Literal' && typeof value.value === 'string') replace('returned', value, "'mutant'")
    else if (value.type === 'Literal' && value.value === null) replace('returned', value, 'undefined')
    else replace('returned', value, 'null')
  }

  const rules: Readonly<Record<string, (node: Node) => void>> = {
    IfStatement: ({ test }) => replace('condition', test as Node, `!(${textOf(test as Node)})`),
    ConditionalExpression: ({ test }) => replace('condition', test as Node, `!(${textOf(test as Node)})`),
    LogicalExpression: (node) => swap('condition', node),
    BinaryExpression: (node) => swap(comparisons.has(String(node.operator)) ? 'condition' : 'bound', node),
    Literal: (node) => {
      if (typeof node.value === 'number') replace('bound', node, String(node.value + 1))
    },
    ExpressionStatement(node) {
      const expression = node.expression as Node
      const call = expression.type === 'AwaitExpression' ? (expression.argument as Node) : expression
      if (call.type === 'CallExpression') replace('event', node, ';', true)
    },
    ReturnStatement: ({ argument }) => {
      if (argument !== null) returned(argument as Node)
    },
    ArrowFunctionExpression: ({ body }) => {
      if ((body as Node).type !== 'BlockStatement') returned(body as Node)
    },
  }

  function visit(node: Node): void {
    // Types are erased before the program runs, and member names are not values.
    if (node.type.startsWith('TS') && !node.type.endsWith('Expression')) return
    rules[node.type]?.(node)
    for (const [key, value] of Object.entries(node)) {
      if (key === 'key' || key === 'typeAnnotation' || key === 'typeArguments') continue
      for (const child of Array.isArray(value) ? value : [value])
        if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node)
    }
  }
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node)
  return found.sort((a, b) => a.start - b.start || b.end - a.end)
}

/**
 * The text with some of its mutations built in, each inactive until `globalThis.mutant` returns
 * true for its number. A program without that function reads the number of the active mutant from
 * the file `awake`. Mutations must not overlap.
 */
export function withMutants(
  source: string,
  mutants: readonly (Mutation & { readonly id: number })[],
  awake: string,
): string {
  const fs = "process.getBuiltinModule('node:fs')"
  const file = JSON.stringify(awake)
  const number = `${fs}.existsSync(${file}) ? Number(${fs}.readFileSync(${file}, 'utf8')) : -1`
  let text = source
  for (const { id, start, end, text: other, isStatement } of mutants.toSorted((a, b) => b.start - a.start)) {
    const asked = `(globalThis.mutant ??= ((awake) => (id) => id === awake)(${number}))(${id})`
    const own = source.slice(start, end)
    // A block of its own, since an `else` may follow.
    const built = isStatement ? `{ if (!${asked}) { ${own} } }` : `(${asked} ? (${other}) : (${own}))`
    text = text.slice(0, start) + built + text.slice(end)
  }
  return text
}
