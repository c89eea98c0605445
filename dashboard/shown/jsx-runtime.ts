import type { ComponentClass, ElementType, ExoticComponent, Key, ReactElement, JSX as ReactJsx, ReactNode } from 'react'
import * as react from 'react/jsx-runtime'
import { isShown, markedText, partText, shownParts } from '../../src/domain/hidden-characters.ts'

/**
 * Every JSX element of the page is created here (vite.config.ts), so that hidden characters in its
 * text become visible marks. Libraries that call `createElement`, such as recharts, bypass this:
 * pass them text through `markedText`.
 */
export const { Fragment } = react

type Props = Readonly<Record<string, unknown>>

export function jsx(type: ElementType, props: Props, key?: Key): ReactNode {
  return react.jsx(type, shownProps(type, props), key)
}

export function jsxs(type: ElementType, props: Props, key?: Key): ReactNode {
  return react.jsxs(type, shownProps(type, props), key)
}

/** React calls this function in a development build. */
export const jsxDEV = jsx

/** Attributes that people see or hear. Editable values (`value`) stay unchanged. */
const spoken = [
  'title',
  'aria-label',
  'aria-description',
  'aria-valuetext',
  'aria-roledescription',
  'aria-placeholder',
  'alt',
  'label',
  'placeholder',
]

/** Elements that can only contain text. */
const textOnly = new Set(['option', 'title', 'textarea', 'text', 'tspan', 'desc'])

/** A component gets its properties unchanged, since its own elements are created here too. */
function shownProps(type: ElementType, props: Props): Props {
  if (typeof type !== 'string' && typeof type !== 'symbol') return props
  const names = typeof type === 'string' ? spoken.filter((name) => isHidden(props[name])) : []
  const children = shownChild(props.children as ReactNode, typeof type === 'string' && textOnly.has(type))
  if (names.length === 0 && children === props.children) return props
  const attributes = Object.fromEntries(names.map((name) => [name, markedText(String(props[name]))]))
  return { ...props, ...attributes, ...(children !== undefined && { children }) }
}

function isHidden(value: unknown): boolean {
  return typeof value === 'string' && !isShown(value)
}

/** Returns the same object if it contains nothing hidden. */
function shownChild(child: ReactNode, isText: boolean, key?: Key): ReactNode {
  if (typeof child === 'string') {
    if (isShown(child)) return child
    return isText ? markedText(child) : react.jsx(Marked, { text: child }, key)
  }
  if (!Array.isArray(child)) return child
  // Text needs no key, but an element in a list does.
  const shown = child.map((each: ReactNode, i) => shownChild(each, isText, `text ${i}`))
  return shown.some((each, i) => each !== child[i]) ? shown : child
}

function Marked({ text }: { readonly text: string }): ReactNode {
  return shownParts(text).map((part, i) => {
    if (typeof part === 'string') return part
    const name = `${part.code} ${part.name}`
    const props = { className: 'hidden-character', role: 'img', 'aria-label': name, title: name }
    return react.jsx('span', { ...props, children: partText(part) }, i)
  })
}

type Elements = ReactElement | null | false | undefined | readonly Elements[]

/**
 * Like React's own, except that a component must return elements: bare text would bypass this file.
 */
export declare namespace JSX {
  // biome-ignore lint/suspicious/noExplicitAny: the properties are those of the component
  type Any = any
  type ElementType =
    | keyof ReactJsx.IntrinsicElements
    | ((props: Any) => Elements)
    | ComponentClass<Any>
    | ExoticComponent<Any>
  type Element = ReactJsx.Element
  type ElementClass = ReactJsx.ElementClass
  type ElementAttributesProperty = ReactJsx.ElementAttributesProperty
  type ElementChildrenAttribute = ReactJsx.ElementChildrenAttribute
  type LibraryManagedAttributes<C, P> = ReactJsx.LibraryManagedAttributes<C, P>
  type IntrinsicAttributes = ReactJsx.IntrinsicAttributes
  type IntrinsicClassAttributes<T> = ReactJsx.IntrinsicClassAttributes<T>
  type IntrinsicElements = ReactJsx.IntrinsicElements
}
