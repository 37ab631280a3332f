//! Removal of branches whose condition is a known constant, which naga leaves in specialised modules.

use naga::{
    Arena, Block, Constant, Expression, Function, Handle, Literal, LocalVariable, Statement, UnaryOperator,
};

/// Removes branches that are never taken because their condition is known: a constant, or the result of `&&` or `||`
/// with a constant, for which naga creates an unnamed variable that both branches of an `if` store to.
pub(crate) fn prune(function: &mut Function, constants: &Arena<Constant>, global: &Arena<Expression>) {
    // Named values would be kept even if nothing computes them any more
    function.named_expressions.clear();
    loop {
        let before = stores(&function.body).len();
        let body = std::mem::take(&mut function.body);
        let known = Known { function, constants, global, stores: stores(&body) };
        function.body = known.pruned(body);
        if stores(&function.body).len() == before {
            return;
        }
    }
}

/// The stores of a function: pointers and values.
type Stores = Vec<(Handle<Expression>, Handle<Expression>)>;

struct Known<'a> {
    function: &'a Function,
    constants: &'a Arena<Constant>,
    global: &'a Arena<Expression>,
    stores: Stores,
}

impl Known<'_> {
    fn value(&self, expression: Handle<Expression>) -> Option<bool> {
        match self.function.expressions[expression] {
            Expression::Literal(Literal::Bool(value)) => Some(value),
            Expression::Constant(constant) => match self.global[self.constants[constant].init] {
                Expression::Literal(Literal::Bool(value)) => Some(value),
                _ => None,
            },
            Expression::Unary { op: UnaryOperator::LogicalNot, expr } => self.value(expr).map(|value| !value),
            Expression::Load { pointer } => self.only_store(self.unnamed(pointer)?),
            _ => None,
        }
    }

    /// Returns the unnamed variable that a pointer refers to.
    fn unnamed(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(variable) if self.function.local_variables[variable].name.is_none() => {
                Some(variable)
            }
            _ => None,
        }
    }

    /// Returns the value of a variable that is stored exactly once.
    fn only_store(&self, variable: Handle<LocalVariable>) -> Option<bool> {
        let mut values = self.stores.iter().filter(|&&(pointer, _)| self.unnamed(pointer) == Some(variable));
        let (_, value) = values.next()?;
        if values.next().is_none() { self.value(*value) } else { None }
    }

    fn pruned(&self, block: Block) -> Block {
        let mut kept = Block::with_capacity(block.len());
        for (mut statement, span) in block.span_into_iter() {
            for inner in blocks(&mut statement) {
                *inner = self.pruned(std::mem::take(inner));
            }
            if let Statement::If { condition, accept, reject } = &mut statement
                && let Some(value) = self.value(*condition)
            {
                // A nested block, since it may end the function, after which no statement is allowed
                statement = Statement::Block(std::mem::take(if value { accept } else { reject }));
            }
            let is_last = matches!(&statement, Statement::Block(block) if ends(block));
            kept.push(statement, span);
            if is_last {
                break;
            }
        }
        kept
    }
}

/// Returns whether statements after a block are unreachable.
fn ends(block: &Block) -> bool {
    match block.last() {
        Some(Statement::Return { .. } | Statement::Break | Statement::Continue | Statement::Kill) => true,
        Some(Statement::Block(block)) => ends(block),
        Some(Statement::If { accept, reject, .. }) => ends(accept) && ends(reject),
        _ => false,
    }
}

fn stores(block: &Block) -> Stores {
    let mut found = Vec::new();
    for statement in block.iter() {
        if let Statement::Store { pointer, value } = *statement {
            found.push((pointer, value));
        }
        let inner: Vec<&Block> = match statement {
            Statement::Block(block) => vec![block],
            Statement::If { accept, reject, .. } => vec![accept, reject],
            Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
            Statement::Loop { body, continuing, .. } => vec![body, continuing],
            _ => Vec::new(),
        };
        found.extend(inner.into_iter().flat_map(stores));
    }
    found
}

/// Returns the blocks nested in a statement.
fn blocks(statement: &mut Statement) -> Vec<&mut Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}
