use naga::{
    Arena, Block, Constant, Expression, Function, Handle, Literal, LocalVariable, Statement, UnaryOperator,
};

/// Takes the branches away that are never taken, since their condition is known: a constant, or what becomes of `&&` and `||` with one, of which naga makes a nameless variable
/// that each of two branches sets.
pub(crate) fn prune(function: &mut Function, constants: &Arena<Constant>, global: &Arena<Expression>) {
    // Values that have names would stay, also those that nothing computes any more
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

/// Where a function stores what: pointers and values.
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
            Expression::Load { pointer } => self.only_store(self.nameless(pointer)?),
            _ => None,
        }
    }

    /// The nameless variable that a pointer points to.
    fn nameless(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(variable) if self.function.local_variables[variable].name.is_none() => {
                Some(variable)
            }
            _ => None,
        }
    }

    /// What is stored in a variable, if it is stored in one place.
    fn only_store(&self, variable: Handle<LocalVariable>) -> Option<bool> {
        let mut values = self.stores.iter().filter(|&&(pointer, _)| self.nameless(pointer) == Some(variable));
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
                // A block of its own: it may end the function, after which nothing may stand
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

/// Whether nothing that stands behind a block is ever reached.
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

/// The blocks within a statement.
fn blocks(statement: &mut Statement) -> Vec<&mut Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}
